# calls helper
	.globl uk_gemm_f32_2x8x96
uk_gemm_f32_2x8x96:
	xorl %eax, %eax
1:	vmovups (%rsi,%rax), %ymm2
	vfmadd231ps %ymm2, %ymm3, %ymm0
	vfmadd231ps %ymm2, %ymm4, %ymm1
	call helper
	addq $32, %rax
	cmpq $3072, %rax
	jne 1b
	ret
	.section .note.GNU-stack,"",@progbits
