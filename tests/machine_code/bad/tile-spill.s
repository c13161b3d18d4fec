# 1 times tilestore in a step; the tile needs 0
	.globl uk_gemm_bf16_f32_16x16x96
uk_gemm_bf16_f32_16x16x96:
	xorl %eax, %eax
	movl $64, %ecx
	tilezero %tmm0
1:	tileloadd (%rdi,%rcx), %tmm2
	tileloadd (%rsi,%rcx), %tmm1
	tdpbf16ps %tmm1, %tmm2, %tmm0
	tilestored %tmm0, (%r8,%rcx)
	addq $64, %rax
	cmpq $192, %rax
	jne 1b
	ret
	.section .note.GNU-stack,"",@progbits
