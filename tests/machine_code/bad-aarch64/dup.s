// A broadcast in place of a lane.
	.text
kernel:
.Lloop:
	dup	v3.4s, v2.s[1]
	fmla	v0.4s, v1.4s, v3.4s
	subs	x0, x0, #1
	b.ne	.Lloop
	ret
