# scalar arithmetic in a loop
	.globl uk_gemm_f32_1x8x64
uk_gemm_f32_1x8x64:
	xorl %eax, %eax
1:	vfmadd231ps (%rsi), %ymm1, %ymm0
	vfmadd231ss (%rsi), %xmm1, %xmm2
	incq %rax
	cmpq $64, %rax
	jne 1b
	ret
	.section .note.GNU-stack,"",@progbits
