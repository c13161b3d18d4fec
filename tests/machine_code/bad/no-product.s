# no loop that multiplies
	.globl uk_gemm_f32_2x8x96
uk_gemm_f32_2x8x96:
	xorl %eax, %eax
1:	vmovups (%rsi,%rax), %ymm2
	vmovups %ymm2, (%rdx,%rax)
	addq $32, %rax
	cmpq $3072, %rax
	jne 1b
	ret
	.section .note.GNU-stack,"",@progbits
