/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jni_library.c -- the natives of dev.verbena.jni.NativeLibrary
 */
#define _GNU_SOURCE
#include "jni_native.h"
#include "layout.h"

#include <string.h>

#define NATIVE(type, name, ...) NATIVE_OF(jni_NativeLibrary, type, name, ##__VA_ARGS__)

NATIVE(jint, version)
{
	return VB_VERSION;
}

NATIVE(jstring, describe, jint error)
{
	char text[256];

	return (*env)->NewStringUTF(env, strerror_r(error, text, sizeof(text)));
}
