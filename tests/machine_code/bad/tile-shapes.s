# sets the shapes of tile registers in the loop
	.globl bad_graph_kernel_x86_64_v4_amx
bad_graph_kernel_x86_64_v4_amx:
	xorl %ebx, %ebx
1:	ldtilecfg (%r12)
	call uk_gemm_bf16_f32_16x16x96
	addq $32, %rbx
	cmpq $3072, %rbx
	jne 1b
	tilerelease
	ret
	.section .note.GNU-stack,"",@progbits
