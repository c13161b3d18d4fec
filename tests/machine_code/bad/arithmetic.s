# arithmetic outside of a kernel
	.globl bad_graph_kernel_x86_64_v3
bad_graph_kernel_x86_64_v3:
	vmovups (%rsi), %ymm2
	vaddps %ymm2, %ymm2, %ymm2
	vmovups %ymm2, (%rdx)
	ret
	.section .note.GNU-stack,"",@progbits
