# calls no kernel
	.globl bad_graph_kernel_x86_64_v3
bad_graph_kernel_x86_64_v3:
	xorl %eax, %eax
1:	vmovups (%rsi,%rax), %ymm2
	vmovups %ymm2, (%rdx,%rax)
	addq $32, %rax
	cmpq $3072, %rax
	jne 1b
	ret
	.section .note.GNU-stack,"",@progbits
