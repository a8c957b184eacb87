/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jni_native.h -- how a native method of dev.verbena is declared and defined
 */
#ifndef VERBENA_JNI_NATIVE_H
#define VERBENA_JNI_NATIVE_H

#include <jni.h>

#define NATIVE_OF(class, type, name, ...)                                                          \
	JNIEXPORT type JNICALL Java_dev_verbena_##class##_##name(JNIEnv *env, jclass self,         \
								 ##__VA_ARGS__);                   \
	JNIEXPORT type JNICALL Java_dev_verbena_##class##_##name(                                  \
		JNIEnv *env __attribute__((unused)), jclass self __attribute__((unused)),          \
		##__VA_ARGS__)

#endif
