# spread by the unit that looks weights up
.globl uk_gemm_f32xi8b32_1x16x256
uk_gemm_f32xi8b32_1x16x256:
  vxorps %xmm0, %xmm0, %xmm0
  movl $256, %eax
1:
  vpmovsxbd (%rsi), %zmm1
  vcvtdq2ps %zmm1, %zmm1
  vbroadcastss (%rdi), %zmm2
  vfmadd231ps %zmm1, %zmm2, %zmm0
  addq $32, %rsi
  addq $4, %rdi
  decl %eax
  jne 1b
  vmovups %zmm0, (%rdx)
  vzeroupper
  retq
	.section .note.GNU-stack,"",@progbits
