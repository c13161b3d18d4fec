	.section	.note.gnu.property,"a",@note
	.p2align	3, 0x0
	.long	4
	.long	16
	.long	5
	.asciz	"GNU"
	.long	3221225474
	.long	4
	.long	3
	.p2align	3, 0x0
	.text
	.file	"kgen"
	.p2align	4
	.type	uk_gemm_f32_1x10x32_1e,@function
uk_gemm_f32_1x10x32_1e:
	vxorps	%xmm0, %xmm0, %xmm0
	movq	$-8, %rax
	leaq	digits_weights_6a6edbd71108b2bb8c5c135950f770b8+448(%rip), %rcx
	vxorps	%xmm1, %xmm1, %xmm1
	vxorps	%xmm3, %xmm3, %xmm3
	vxorps	%xmm4, %xmm4, %xmm4
	vxorps	%xmm2, %xmm2, %xmm2
	vxorps	%xmm5, %xmm5, %xmm5
	vxorps	%xmm6, %xmm6, %xmm6
	vxorps	%xmm7, %xmm7, %xmm7
	.p2align	4
.LBB0_1:
	vbroadcastf32x4	32(%rdi,%rax,4), %zmm8
	#APP
	#NO_APP
	vshufps	$0, %zmm8, %zmm8, %zmm9
	vfmadd231ps	-448(%rcx), %zmm9, %zmm7
	vshufps	$85, %zmm8, %zmm8, %zmm9
	vfmadd231ps	-384(%rcx), %zmm9, %zmm6
	vshufps	$170, %zmm8, %zmm8, %zmm9
	vfmadd231ps	-320(%rcx), %zmm9, %zmm5
	vshufps	$255, %zmm8, %zmm8, %zmm8
	vfmadd231ps	-256(%rcx), %zmm8, %zmm2
	vbroadcastf32x4	48(%rdi,%rax,4), %zmm8
	#APP
	#NO_APP
	vshufps	$0, %zmm8, %zmm8, %zmm9
	vfmadd231ps	-192(%rcx), %zmm9, %zmm4
	vshufps	$85, %zmm8, %zmm8, %zmm9
	vfmadd231ps	-128(%rcx), %zmm9, %zmm3
	vshufps	$170, %zmm8, %zmm8, %zmm9
	vfmadd231ps	-64(%rcx), %zmm9, %zmm1
	vshufps	$255, %zmm8, %zmm8, %zmm8
	vfmadd231ps	(%rcx), %zmm8, %zmm0
	addq	$8, %rax
	addq	$512, %rcx
	cmpq	$24, %rax
	jb	.LBB0_1
	vaddps	%zmm4, %zmm7, %zmm4
	vaddps	%zmm3, %zmm6, %zmm3
	vaddps	%zmm1, %zmm5, %zmm1
	vaddps	%zmm1, %zmm4, %zmm1
	vaddps	%zmm0, %zmm2, %zmm0
	vaddps	%zmm0, %zmm3, %zmm0
	vaddps	%zmm0, %zmm1, %zmm0
	movw	$1023, %ax
	kmovd	%eax, %k1
	vmovaps	.L__constant_10xf32(%rip), %zmm1 {%k1} {z}
	vaddps	%zmm1, %zmm0, %zmm0
	vmovups	%zmm0, (%rsi) {%k1}
	vzeroupper
	retq
.Lfunc_end0:
	.size	uk_gemm_f32_1x10x32_1e, .Lfunc_end0-uk_gemm_f32_1x10x32_1e

	.p2align	4
	.type	uk_gemm_f32_1x32x256_4e,@function
uk_gemm_f32_1x32x256_4e:
	prefetcht0	(%rsi)
	prefetcht0	64(%rsi)
	vbroadcastf32x4	(%rdi), %zmm8
	#APP
	#NO_APP
	vshufps	$0, %zmm8, %zmm8, %zmm1
	vmovaps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c(%rip), %zmm2
	vxorps	%xmm0, %xmm0, %xmm0
	vfmadd213ps	%zmm0, %zmm1, %zmm2
	vfmadd132ps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+64(%rip), %zmm0, %zmm1
	vmovaps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+128(%rip), %zmm4
	vshufps	$85, %zmm8, %zmm8, %zmm3
	vfmadd213ps	%zmm0, %zmm3, %zmm4
	vfmadd132ps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+192(%rip), %zmm0, %zmm3
	vmovaps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+256(%rip), %zmm6
	vshufps	$170, %zmm8, %zmm8, %zmm5
	vfmadd213ps	%zmm0, %zmm5, %zmm6
	vfmadd132ps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+320(%rip), %zmm0, %zmm5
	vmovaps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+384(%rip), %zmm7
	vshufps	$255, %zmm8, %zmm8, %zmm8
	vfmadd213ps	%zmm0, %zmm8, %zmm7
	vfmadd231ps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+448(%rip), %zmm8, %zmm0
	movq	$-4, %rax
	leaq	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+960(%rip), %rcx
	.p2align	4
.LBB1_1:
	vbroadcastf32x4	32(%rdi,%rax,4), %zmm8
	#APP
	#NO_APP
	vshufps	$0, %zmm8, %zmm8, %zmm9
	vfmadd231ps	-448(%rcx), %zmm9, %zmm2
	vfmadd231ps	-384(%rcx), %zmm9, %zmm1
	vshufps	$85, %zmm8, %zmm8, %zmm9
	vfmadd231ps	-320(%rcx), %zmm9, %zmm4
	vfmadd231ps	-256(%rcx), %zmm9, %zmm3
	vshufps	$170, %zmm8, %zmm8, %zmm9
	vfmadd231ps	-192(%rcx), %zmm9, %zmm6
	vfmadd231ps	-128(%rcx), %zmm9, %zmm5
	vshufps	$255, %zmm8, %zmm8, %zmm8
	vfmadd231ps	-64(%rcx), %zmm8, %zmm7
	vfmadd231ps	(%rcx), %zmm8, %zmm0
	addq	$4, %rax
	addq	$512, %rcx
	cmpq	$248, %rax
	jb	.LBB1_1
	vaddps	%zmm6, %zmm2, %zmm2
	vaddps	%zmm5, %zmm1, %zmm1
	vaddps	%zmm7, %zmm4, %zmm4
	vaddps	%zmm4, %zmm2, %zmm2
	vaddps	%zmm0, %zmm3, %zmm0
	vaddps	.L__constant_32xf32(%rip), %zmm2, %zmm2
	vxorps	%xmm3, %xmm3, %xmm3
	vmaxps	%zmm2, %zmm3, %zmm2
	vmovups	%zmm2, (%rsi)
	vaddps	%zmm0, %zmm1, %zmm0
	vaddps	.L__constant_32xf32+64(%rip), %zmm0, %zmm0
	vmaxps	%zmm0, %zmm3, %zmm0
	vmovups	%zmm0, 64(%rsi)
	vzeroupper
	retq
.Lfunc_end1:
	.size	uk_gemm_f32_1x32x256_4e, .Lfunc_end1-uk_gemm_f32_1x32x256_4e

	.section	.rodata.cst4,"aM",@progbits,4
	.p2align	2, 0x0
.LCPI2_0:
	.long	0xff800000
.LCPI2_1:
	.long	0xb0800000
.LCPI2_2:
	.long	0x3fb8aa3b
.LCPI2_3:
	.long	0x49c00000
.LCPI2_4:
	.long	0xc9c00000
.LCPI2_6:
	.long	0xbf317000
.LCPI2_7:
	.long	0xb805fdf4
.LCPI2_8:
	.long	0x3e2aae81
.LCPI2_9:
	.long	0x3f000455
.LCPI2_10:
	.long	0xc2aa1163
.LCPI2_11:
	.long	0x80000000
.LCPI2_13:
	.long	0x3f800000
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
.LCPI2_5:
	.long	0x3f800000
	.long	0x3f7b95c2
	.long	0x3f7837f0
	.long	0x3f75fed7
	.long	0x3f7504f3
	.long	0x3f75672a
	.long	0x3f7744fd
	.long	0x3f7ac0c7
	.long	0x3f800000
	.long	0x3f7b95c2
	.long	0x3f7837f0
	.long	0x3f75fed7
	.long	0x3f7504f3
	.long	0x3f75672a
	.long	0x3f7744fd
	.long	0x3f7ac0c7
.LCPI2_12:
	.quad	0
	.quad	1
	.quad	2
	.quad	3
	.quad	4
	.quad	13
	.quad	14
	.quad	15
	.text
	.hidden	digits_classify_kernel_x86_64_v4
	.globl	digits_classify_kernel_x86_64_v4
	.p2align	4
	.type	digits_classify_kernel_x86_64_v4,@function
digits_classify_kernel_x86_64_v4:
	.cfi_startproc
	endbr64
	pushq	%r15
	.cfi_def_cfa_offset 16
	pushq	%r14
	.cfi_def_cfa_offset 24
	pushq	%rbx
	.cfi_def_cfa_offset 32
	.cfi_offset %rbx, -32
	.cfi_offset %r14, -24
	.cfi_offset %r15, -16
	movq	%rdx, %r14
	movq	%rsi, %rbx
	leaq	128(%rdx), %r15
	movq	%rdx, %rsi
	callq	uk_gemm_f32_1x32x256_4e
	movq	%r14, %rdi
	movq	%r15, %rsi
	callq	uk_gemm_f32_1x10x32_1e
	vmovaps	128(%r14), %zmm0
	vbroadcastss	.LCPI2_0(%rip), %zmm1
	vmaxps	%zmm1, %zmm0, %zmm2
	vextractf64x4	$1, %zmm2, %ymm3
	vblendps	$3, %ymm3, %ymm1, %ymm1
	vmaxps	%ymm2, %ymm1, %ymm3
	vcmpunordps	%ymm2, %ymm2, %k1
	vmovaps	%ymm1, %ymm3 {%k1}
	vextractf128	$1, %ymm3, %xmm1
	vmaxps	%xmm3, %xmm1, %xmm2
	vcmpunordps	%xmm3, %xmm3, %k1
	vmovaps	%xmm1, %xmm2 {%k1}
	vshufpd	$1, %xmm2, %xmm2, %xmm1
	vmaxps	%xmm2, %xmm1, %xmm3
	vcmpunordps	%xmm2, %xmm2, %k1
	vmovaps	%xmm1, %xmm3 {%k1}
	vmovshdup	%xmm3, %xmm1
	vmaxss	%xmm3, %xmm1, %xmm2
	vcmpunordss	%xmm3, %xmm3, %k1
	vmovss	%xmm1, %xmm2, %xmm2 {%k1}
	vmaxss	.LCPI2_0(%rip), %xmm2, %xmm1
	vbroadcastss	%xmm1, %zmm1
	vsubps	%zmm1, %zmm0, %zmm0
	vbroadcastss	.LCPI2_1(%rip), %zmm1
	vminps	%zmm0, %zmm1, %zmm1
	vbroadcastss	.LCPI2_2(%rip), %zmm2
	vfmadd213ps	.LCPI2_3(%rip){1to16}, %zmm1, %zmm2
	vaddps	.LCPI2_4(%rip){1to16}, %zmm2, %zmm3
	vpermps	.LCPI2_5(%rip), %zmm2, %zmm4
	vpslld	$20, %zmm2, %zmm2
	vpaddd	%zmm4, %zmm2, %zmm2
	vfmadd231ps	.LCPI2_6(%rip){1to16}, %zmm3, %zmm1
	vfmadd231ps	.LCPI2_7(%rip){1to16}, %zmm3, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vbroadcastss	.LCPI2_8(%rip), %zmm4
	vfmadd213ps	.LCPI2_9(%rip){1to16}, %zmm1, %zmm4
	vfmadd213ps	%zmm1, %zmm3, %zmm4
	vcmpnltps	.LCPI2_10(%rip){1to16}, %zmm0, %k1
	vfmadd132ps	%zmm2, %zmm2, %zmm4 {%k1} {z}
	movl	$0, (%r14)
	vbroadcastss	.LCPI2_11(%rip), %zmm0
	vmovapd	.LCPI2_12(%rip), %zmm1
	vpermi2pd	%zmm0, %zmm4, %zmm1
	vextractf64x4	$1, %zmm1, %ymm0
	vaddps	%ymm0, %ymm1, %ymm0
	vextractf128	$1, %ymm0, %xmm1
	vaddps	%xmm1, %xmm0, %xmm0
	vmovshdup	%xmm0, %xmm1
	vaddss	%xmm1, %xmm0, %xmm1
	vshufpd	$1, %xmm0, %xmm0, %xmm2
	vaddss	%xmm2, %xmm1, %xmm1
	vshufps	$255, %xmm0, %xmm0, %xmm0
	vaddss	%xmm0, %xmm1, %xmm0
	vxorps	%xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm0, %xmm0
	vaddss	%xmm1, %xmm0, %xmm0
	vmovss	.LCPI2_13(%rip), %xmm1
	vdivss	%xmm0, %xmm1, %xmm0
	vbroadcastss	%xmm0, %zmm0
	vmulps	%zmm0, %zmm4, %zmm0
	movw	$1023, %ax
	kmovd	%eax, %k1
	vmovups	%zmm0, (%rbx) {%k1}
	popq	%rbx
	.cfi_def_cfa_offset 24
	popq	%r14
	.cfi_def_cfa_offset 16
	popq	%r15
	.cfi_def_cfa_offset 8
	vzeroupper
	retq
.Lfunc_end2:
	.size	digits_classify_kernel_x86_64_v4, .Lfunc_end2-digits_classify_kernel_x86_64_v4
	.cfi_endproc

	.type	.L__constant_32xf32,@object
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
.L__constant_32xf32:
	.long	0x3e01a6b1
	.long	0xbd80bea3
	.long	0x3d8459b9
	.long	0x3d405c7a
	.long	0x3e203e1a
	.long	0x3e90e792
	.long	0x3e28ba7b
	.long	0x3e338798
	.long	0x3e69fe6f
	.long	0x3cd904a2
	.long	0x3cd75aac
	.long	0x3e8a9f6a
	.long	0x3e60df71
	.long	0x3e63eb31
	.long	0x3e3c328b
	.long	0xbc62c909
	.long	0x3e4502e6
	.long	0x3dcdce05
	.long	0xbd258b75
	.long	0x3e52dcd9
	.long	0x3ea2b3db
	.long	0x3e8c7dd2
	.long	0xbdae55a0
	.long	0xbe0bc25a
	.long	0x3ddff79b
	.long	0x3e56ecd7
	.long	0xbc99f7f1
	.long	0x3e85e940
	.long	0x3e25542a
	.long	0x3df501d5
	.long	0x3db14a66
	.long	0x3e97584a
	.size	.L__constant_32xf32, 128

	.type	.L__constant_10xf32,@object
	.p2align	6, 0x0
.L__constant_10xf32:
	.long	0x3d9f705f
	.long	0x3e3a22df
	.long	0xbd520b48
	.long	0xbd339466
	.long	0x3c8c26f9
	.long	0xbdbedbfa
	.long	0xbd8d904f
	.long	0x3c8e948d
	.long	0xbc1181d4
	.long	0x3cd01212
	.size	.L__constant_10xf32, 40

	.hidden	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c
	.hidden	digits_weights_6a6edbd71108b2bb8c5c135950f770b8
	.section	".note.GNU-stack","",@progbits
