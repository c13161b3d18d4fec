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
	.section	.rodata.cst32,"aM",@progbits,32
	.p2align	5, 0x0
.LCPI0_0:
	.long	0x3d9f705f
	.long	0x3e3a22df
	.long	0xbd520b48
	.long	0xbd339466
	.long	0x3c8c26f9
	.long	0xbdbedbfa
	.long	0xbd8d904f
	.long	0x3c8e948d
	.section	.rodata.cst16,"aM",@progbits,16
	.p2align	4, 0x0
.LCPI0_1:
	.long	0xbc1181d4
	.long	0x3cd01212
	.zero	4
	.zero	4
	.text
	.p2align	4
	.type	uk_gemm_f32_1x10x32_1e,@function
uk_gemm_f32_1x10x32_1e:
	vxorps	%xmm1, %xmm1, %xmm1
	vxorps	%xmm0, %xmm0, %xmm0
	movq	$-4, %rax
	leaq	digits_weights_6a6edbd71108b2bb8c5c135950f770b8+224(%rip), %rcx
	vxorps	%xmm3, %xmm3, %xmm3
	vxorps	%xmm4, %xmm4, %xmm4
	vxorps	%xmm2, %xmm2, %xmm2
	vxorps	%xmm5, %xmm5, %xmm5
	vxorps	%xmm6, %xmm6, %xmm6
	vxorps	%xmm7, %xmm7, %xmm7
	.p2align	4
.LBB0_1:
	vbroadcastss	16(%rdi,%rax,4), %ymm8
	vfmadd231ps	-224(%rcx), %ymm8, %ymm7
	vmovsd	-192(%rcx), %xmm9
	vfmadd231ps	%xmm9, %xmm8, %xmm6
	vmovsd	-128(%rcx), %xmm8
	vmovsd	-64(%rcx), %xmm9
	vmovsd	(%rcx), %xmm10
	vbroadcastss	20(%rdi,%rax,4), %ymm11
	vfmadd231ps	-160(%rcx), %ymm11, %ymm5
	vfmadd231ps	%xmm11, %xmm8, %xmm2
	vbroadcastss	24(%rdi,%rax,4), %ymm8
	vfmadd231ps	-96(%rcx), %ymm8, %ymm4
	vfmadd231ps	%xmm8, %xmm9, %xmm3
	vbroadcastss	28(%rdi,%rax,4), %ymm8
	vfmadd231ps	-32(%rcx), %ymm8, %ymm1
	vfmadd231ps	%xmm8, %xmm10, %xmm0
	addq	$4, %rax
	addq	$256, %rcx
	cmpq	$28, %rax
	jb	.LBB0_1
	vaddps	%ymm4, %ymm7, %ymm4
	vaddps	%xmm3, %xmm6, %xmm3
	vaddps	%ymm1, %ymm5, %ymm1
	vaddps	%ymm1, %ymm4, %ymm1
	vaddps	%xmm0, %xmm2, %xmm0
	vaddps	%xmm0, %xmm3, %xmm0
	vaddps	.LCPI0_0(%rip), %ymm1, %ymm1
	vmovups	%ymm1, (%rsi)
	vaddps	.LCPI0_1(%rip), %xmm0, %xmm0
	vmovlps	%xmm0, 32(%rsi)
	vzeroupper
	retq
.Lfunc_end0:
	.size	uk_gemm_f32_1x10x32_1e, .Lfunc_end0-uk_gemm_f32_1x10x32_1e

	.section	.rodata.cst32,"aM",@progbits,32
	.p2align	5, 0x0
.LCPI1_0:
	.long	0x3e01a6b1
	.long	0xbd80bea3
	.long	0x3d8459b9
	.long	0x3d405c7a
	.long	0x3e203e1a
	.long	0x3e90e792
	.long	0x3e28ba7b
	.long	0x3e338798
.LCPI1_1:
	.long	0x3e69fe6f
	.long	0x3cd904a2
	.long	0x3cd75aac
	.long	0x3e8a9f6a
	.long	0x3e60df71
	.long	0x3e63eb31
	.long	0x3e3c328b
	.long	0xbc62c909
.LCPI1_2:
	.long	0x3e4502e6
	.long	0x3dcdce05
	.long	0xbd258b75
	.long	0x3e52dcd9
	.long	0x3ea2b3db
	.long	0x3e8c7dd2
	.long	0xbdae55a0
	.long	0xbe0bc25a
.LCPI1_3:
	.long	0x3ddff79b
	.long	0x3e56ecd7
	.long	0xbc99f7f1
	.long	0x3e85e940
	.long	0x3e25542a
	.long	0x3df501d5
	.long	0x3db14a66
	.long	0x3e97584a
	.text
	.p2align	4
	.type	uk_gemm_f32_1x32x256_4e,@function
uk_gemm_f32_1x32x256_4e:
	prefetcht0	(%rsi)
	prefetcht0	64(%rsi)
	vbroadcastf128	(%rdi), %ymm8
	#APP
	#NO_APP
	vshufps	$0, %ymm8, %ymm8, %ymm0
	vxorps	%xmm1, %xmm1, %xmm1
	vmovaps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c(%rip), %ymm3
	vfmadd213ps	%ymm1, %ymm0, %ymm3
	vmovaps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+32(%rip), %ymm4
	vfmadd213ps	%ymm1, %ymm0, %ymm4
	vmovaps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+64(%rip), %ymm2
	vfmadd213ps	%ymm1, %ymm0, %ymm2
	vfmadd132ps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+96(%rip), %ymm1, %ymm0
	vshufps	$85, %ymm8, %ymm8, %ymm9
	vmovaps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+128(%rip), %ymm6
	vfmadd213ps	%ymm1, %ymm9, %ymm6
	vmovaps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+160(%rip), %ymm7
	vfmadd213ps	%ymm1, %ymm9, %ymm7
	vmovaps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+192(%rip), %ymm5
	vfmadd213ps	%ymm1, %ymm9, %ymm5
	vfmadd231ps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+224(%rip), %ymm9, %ymm1
	vshufps	$170, %ymm8, %ymm8, %ymm9
	vfmadd231ps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+256(%rip), %ymm9, %ymm3
	vfmadd231ps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+288(%rip), %ymm9, %ymm4
	vfmadd231ps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+320(%rip), %ymm9, %ymm2
	vfmadd231ps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+352(%rip), %ymm9, %ymm0
	vshufps	$255, %ymm8, %ymm8, %ymm8
	vfmadd231ps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+384(%rip), %ymm8, %ymm6
	vfmadd231ps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+416(%rip), %ymm8, %ymm7
	vfmadd231ps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+448(%rip), %ymm8, %ymm5
	vfmadd231ps	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+480(%rip), %ymm8, %ymm1
	movq	$-4, %rax
	leaq	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c+992(%rip), %rcx
	.p2align	4
.LBB1_1:
	vbroadcastf128	32(%rdi,%rax,4), %ymm8
	#APP
	#NO_APP
	vshufps	$0, %ymm8, %ymm8, %ymm9
	vfmadd231ps	-480(%rcx), %ymm9, %ymm3
	vfmadd231ps	-448(%rcx), %ymm9, %ymm4
	vfmadd231ps	-416(%rcx), %ymm9, %ymm2
	vfmadd231ps	-384(%rcx), %ymm9, %ymm0
	vshufps	$85, %ymm8, %ymm8, %ymm9
	vfmadd231ps	-352(%rcx), %ymm9, %ymm6
	vfmadd231ps	-320(%rcx), %ymm9, %ymm7
	vfmadd231ps	-288(%rcx), %ymm9, %ymm5
	vfmadd231ps	-256(%rcx), %ymm9, %ymm1
	vshufps	$170, %ymm8, %ymm8, %ymm9
	vfmadd231ps	-224(%rcx), %ymm9, %ymm3
	vfmadd231ps	-192(%rcx), %ymm9, %ymm4
	vfmadd231ps	-160(%rcx), %ymm9, %ymm2
	vfmadd231ps	-128(%rcx), %ymm9, %ymm0
	vshufps	$255, %ymm8, %ymm8, %ymm8
	vfmadd231ps	-96(%rcx), %ymm8, %ymm6
	vfmadd231ps	-64(%rcx), %ymm8, %ymm7
	vfmadd231ps	-32(%rcx), %ymm8, %ymm5
	vfmadd231ps	(%rcx), %ymm8, %ymm1
	addq	$4, %rax
	addq	$512, %rcx
	cmpq	$248, %rax
	jb	.LBB1_1
	vaddps	%ymm6, %ymm3, %ymm3
	vaddps	%ymm7, %ymm4, %ymm4
	vaddps	.LCPI1_0(%rip), %ymm3, %ymm3
	vxorps	%xmm6, %xmm6, %xmm6
	vmaxps	%ymm3, %ymm6, %ymm3
	vmovups	%ymm3, (%rsi)
	vaddps	.LCPI1_1(%rip), %ymm4, %ymm3
	vaddps	%ymm5, %ymm2, %ymm2
	vmaxps	%ymm3, %ymm6, %ymm3
	vmovups	%ymm3, 32(%rsi)
	vaddps	%ymm1, %ymm0, %ymm0
	vaddps	.LCPI1_2(%rip), %ymm2, %ymm1
	vmaxps	%ymm1, %ymm6, %ymm1
	vmovups	%ymm1, 64(%rsi)
	vaddps	.LCPI1_3(%rip), %ymm0, %ymm0
	vmaxps	%ymm0, %ymm6, %ymm0
	vmovups	%ymm0, 96(%rsi)
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
	.long	0xc9c00000
.LCPI2_5:
	.long	0xbf317000
.LCPI2_6:
	.long	0xb805fdf4
.LCPI2_7:
	.long	0x3f000455
.LCPI2_8:
	.long	0x3e2aae81
.LCPI2_9:
	.long	0xc2aa1163
.LCPI2_10:
	.long	0x49c00000
.LCPI2_11:
	.long	0x80000000
.LCPI2_12:
	.long	0x3f800000
	.section	.rodata.cst32,"aM",@progbits,32
	.p2align	5, 0x0
.LCPI2_4:
	.long	0x3f800000
	.long	0x3f7b95c2
	.long	0x3f7837f0
	.long	0x3f75fed7
	.long	0x3f7504f3
	.long	0x3f75672a
	.long	0x3f7744fd
	.long	0x3f7ac0c7
	.text
	.hidden	digits_classify_kernel_x86_64_v3
	.globl	digits_classify_kernel_x86_64_v3
	.p2align	4
	.type	digits_classify_kernel_x86_64_v3,@function
digits_classify_kernel_x86_64_v3:
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
	vmovaps	128(%r14), %ymm0
	vbroadcastss	.LCPI2_0(%rip), %ymm1
	vmaxps	%ymm1, %ymm0, %ymm2
	vmovsd	160(%r14), %xmm3
	vmaxps	%xmm1, %xmm3, %xmm4
	vblendps	$3, %ymm4, %ymm1, %ymm1
	vmaxps	%ymm2, %ymm1, %ymm1
	vextractf128	$1, %ymm1, %xmm2
	vmaxps	%xmm1, %xmm2, %xmm1
	vshufpd	$1, %xmm1, %xmm1, %xmm2
	vmaxps	%xmm1, %xmm2, %xmm1
	vmovshdup	%xmm1, %xmm2
	vmaxss	%xmm1, %xmm2, %xmm1
	vbroadcastss	%xmm1, %ymm5
	vsubps	%ymm5, %ymm0, %ymm0
	vbroadcastss	.LCPI2_1(%rip), %ymm6
	vminps	%ymm0, %ymm6, %ymm2
	vbroadcastss	.LCPI2_2(%rip), %ymm4
	vbroadcastss	.LCPI2_3(%rip), %ymm1
	vsubps	%xmm5, %xmm3, %xmm3
	vminps	%xmm3, %xmm6, %xmm5
	vbroadcastss	.LCPI2_10(%rip), %xmm6
	vfmadd231ps	%xmm4, %xmm5, %xmm6
	vfmsub213ps	%ymm1, %ymm2, %ymm4
	vaddps	%ymm1, %ymm4, %ymm7
	vpslld	$20, %ymm4, %ymm8
	vmovdqa	.LCPI2_4(%rip), %ymm9
	vpermd	%ymm9, %ymm4, %ymm4
	vpaddd	%ymm4, %ymm8, %ymm8
	vbroadcastss	.LCPI2_5(%rip), %ymm10
	vfmadd231ps	%ymm10, %ymm7, %ymm2
	vbroadcastss	.LCPI2_6(%rip), %ymm11
	vfmadd231ps	%ymm7, %ymm11, %ymm2
	vmulps	%ymm2, %ymm2, %ymm7
	vbroadcastss	.LCPI2_7(%rip), %ymm12
	vbroadcastss	.LCPI2_8(%rip), %ymm4
	vmovaps	%ymm4, %ymm13
	vfmadd213ps	%ymm12, %ymm2, %ymm13
	vfmadd213ps	%ymm2, %ymm7, %ymm13
	vfmadd132ps	%ymm8, %ymm8, %ymm13
	vbroadcastss	.LCPI2_9(%rip), %ymm2
	vcmpnltps	%ymm2, %ymm0, %ymm0
	vandps	%ymm0, %ymm13, %ymm0
	vmovaps	%ymm0, (%r14)
	vaddps	%xmm1, %xmm6, %xmm1
	vpslld	$20, %xmm6, %xmm7
	vpermd	%ymm9, %ymm6, %ymm6
	vpaddd	%xmm6, %xmm7, %xmm6
	vfmadd213ps	%xmm5, %xmm1, %xmm10
	vfmadd213ps	%xmm10, %xmm1, %xmm11
	vmulps	%xmm11, %xmm11, %xmm1
	vfmadd213ps	%xmm12, %xmm11, %xmm4
	vfmadd213ps	%xmm11, %xmm1, %xmm4
	vfmadd132ps	%xmm6, %xmm6, %xmm4
	vcmpnltps	%xmm2, %xmm3, %xmm1
	vandps	%xmm4, %xmm1, %xmm1
	vmovlps	%xmm1, 32(%r14)
	vbroadcastss	.LCPI2_11(%rip), %ymm2
	vblendps	$3, %ymm1, %ymm2, %ymm2
	vaddps	%ymm2, %ymm0, %ymm2
	vextractf128	$1, %ymm2, %xmm3
	vaddps	%xmm3, %xmm2, %xmm2
	vshufpd	$1, %xmm2, %xmm2, %xmm3
	vaddps	%xmm3, %xmm2, %xmm2
	vmovshdup	%xmm2, %xmm3
	vaddss	%xmm3, %xmm2, %xmm2
	vxorps	%xmm3, %xmm3, %xmm3
	vaddss	%xmm3, %xmm2, %xmm2
	vaddss	%xmm3, %xmm2, %xmm2
	vmovss	.LCPI2_12(%rip), %xmm3
	vdivss	%xmm2, %xmm3, %xmm2
	vbroadcastss	%xmm2, %ymm2
	vmulps	%ymm2, %ymm0, %ymm0
	vmovups	%ymm0, (%rbx)
	movl	$0, 64(%r14)
	vmulps	%xmm2, %xmm1, %xmm0
	vmovlps	%xmm0, 32(%rbx)
	popq	%rbx
	.cfi_def_cfa_offset 24
	popq	%r14
	.cfi_def_cfa_offset 16
	popq	%r15
	.cfi_def_cfa_offset 8
	vzeroupper
	retq
.Lfunc_end2:
	.size	digits_classify_kernel_x86_64_v3, .Lfunc_end2-digits_classify_kernel_x86_64_v3
	.cfi_endproc

	.hidden	digits_weights_80249e51d6e20e3fc36c4586b7a53f0c
	.hidden	digits_weights_6a6edbd71108b2bb8c5c135950f770b8
	.section	".note.GNU-stack","",@progbits
