# f16 is converted 2 times instead of 1
	.globl uk_gemm_f32xf16_1x8x64
uk_gemm_f32xf16_1x8x64:
	xorl %eax, %eax
1:	vcvtph2ps (%rsi), %ymm1
	vcvtph2ps (%rdi), %ymm2
	vfmadd231ps %ymm2, %ymm1, %ymm0
	incq %rax
	cmpq $64, %rax
	jne 1b
	ret
	.section .note.GNU-stack,"",@progbits
