# bf16 is not widened
	.globl uk_gemm_bf16_1x8x64
uk_gemm_bf16_1x8x64:
	xorl %eax, %eax
1:	vfmadd231ps (%rsi), %ymm1, %ymm0
	incq %rax
	cmpq $64, %rax
	jne 1b
	ret
	.section .note.GNU-stack,"",@progbits
