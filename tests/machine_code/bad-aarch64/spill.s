// An accumulator that lives on the stack.
	.text
kernel:
.Lloop:
	ldr	q0, [sp, #16]
	fmla	v0.4s, v1.4s, v2.s[0]
	str	q0, [sp, #16]
	subs	x0, x0, #1
	b.ne	.Lloop
	ret
