# 0 accumulators in ymm
	.globl uk_gemm_f32_2x8x96
uk_gemm_f32_2x8x96:
	xorl %eax, %eax
1:	vmovups (%rsi,%rax), %ymm2
	vfmadd231ps %xmm2, %xmm3, %xmm0
	vfmadd231ps %xmm2, %xmm4, %xmm1
	addq $32, %rax
	cmpq $3072, %rax
	jne 1b
	ret
	.section .note.GNU-stack,"",@progbits
