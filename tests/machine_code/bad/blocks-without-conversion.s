# no v?cvtdq2ps$ on ymm
.globl uk_gemm_f32xi8b32_1x8x256
uk_gemm_f32xi8b32_1x8x256:
  vxorps %ymm0, %ymm0, %ymm0
  movl $256, %eax
1:
  vpmovsxbd (%rsi), %ymm1
  vbroadcastss (%rdi), %ymm2
  vfmadd231ps %ymm1, %ymm2, %ymm0
  addq $32, %rsi
  addq $4, %rdi
  decl %eax
  jne 1b
  vmovups %ymm0, (%rdx)
  vzeroupper
  retq
	.section .note.GNU-stack,"",@progbits
