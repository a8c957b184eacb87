/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jni_memory.c -- the natives of dev.verbena.memory.DaxNative
 */
#include "jni_native.h"
#include "verbena.h"

#define NATIVE(type, name, ...) NATIVE_OF(memory_DaxNative, type, name, ##__VA_ARGS__)

NATIVE(jlong, open, jstring path, jlongArray facts)
{
	const char *text = (*env)->GetStringUTFChars(env, path, NULL);
	uint64_t found[2];
	jlong ret;

	if (!text)
		return -1; /* an OutOfMemoryError is pending */
	ret = vb_dax_open(text, found);
	(*env)->ReleaseStringUTFChars(env, path, text);
	if (ret > 0)
		(*env)->SetLongArrayRegion(env, facts, 0, 2, (const jlong *)found);
	return ret;
}

NATIVE(jint, close, jlong device)
{
	return vb_dax_close(device);
}

NATIVE(jlong, map, jlong device, jlong bytes, jlongArray address)
{
	uint64_t found;
	jlong ret = vb_dax_map(device, (uint64_t)bytes, &found);

	if (ret > 0)
		(*env)->SetLongArrayRegion(env, address, 0, 1, (const jlong *)&found);
	return ret;
}

NATIVE(jint, unmap, jlong mapping)
{
	return vb_dax_unmap(mapping);
}

NATIVE(jint, writeBack, jlong mapping, jlong offset, jlong bytes)
{
	return vb_dax_write_back(mapping, (uint64_t)offset, (uint64_t)bytes);
}

NATIVE(jobject, buffer, jlong address, jlong bytes)
{
	return (*env)->NewDirectByteBuffer(env, (void *)(uintptr_t)address, bytes);
}
