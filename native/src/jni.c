/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jni.c -- the natives of dev.verbena.verbs.rdmacore.Native
 *
 * They only pass on. Addresses are of direct buffers that the caller keeps reachable.
 */
#include "jni_native.h"
#include "verbena.h"

#define NATIVE(type, name, ...) NATIVE_OF(verbs_rdmacore_Native, type, name, ##__VA_ARGS__)

#define AT(address) ((void *)(uintptr_t)(address))

NATIVE(jint, layout, jlong into, jint room)
{
	return vb_layout(AT(into), room);
}

NATIVE(jlong, address, jobject buffer)
{
	return (jlong)(uintptr_t)(*env)->GetDirectBufferAddress(env, buffer);
}

NATIVE(jobject, buffer, jlong address, jlong bytes)
{
	return (*env)->NewDirectByteBuffer(env, AT(address), bytes);
}

NATIVE(jstring, unavailable)
{
	char why[768];

	return vb_available(why, sizeof(why)) ? (*env)->NewStringUTF(env, why) : NULL;
}

NATIVE(jlong, deviceOpen, jstring name, jlong info)
{
	const char *text = (*env)->GetStringUTFChars(env, name, NULL);
	jlong ret;

	if (!text)
		return -1; /* an OutOfMemoryError is pending */
	ret = vb_device_open(text, AT(info));
	(*env)->ReleaseStringUTFChars(env, name, text);
	return ret;
}

NATIVE(jint, deviceClose, jlong device)
{
	return vb_device_close(device);
}

NATIVE(jint, deviceWait, jlong device, jlong into, jint timeout)
{
	return vb_device_wait(device, AT(into), timeout);
}

NATIVE(jint, deviceNudge, jlong device)
{
	return vb_device_nudge(device);
}

NATIVE(jint, deviceCalm, jlong device)
{
	return vb_device_calm(device);
}

NATIVE(jlong, domainCreate, jlong device)
{
	return vb_domain_create(device);
}

NATIVE(jint, domainDestroy, jlong domain)
{
	return vb_domain_destroy(domain);
}

NATIVE(jlong, regionRegister, jlong domain, jlong address, jlong length, jint access, jlong keys)
{
	return vb_region_register(domain, (uint64_t)address, (uint64_t)length, (uint32_t)access,
				  AT(keys));
}

NATIVE(jint, regionDeregister, jlong region)
{
	return vb_region_deregister(region);
}

NATIVE(jlong, windowAllocate, jlong domain, jlong key)
{
	return vb_window_allocate(domain, AT(key));
}

NATIVE(jint, windowDeallocate, jlong window)
{
	return vb_window_deallocate(window);
}

NATIVE(jlong, map, jlong bytes)
{
	return vb_map((uint64_t)bytes);
}

NATIVE(jint, unmap, jlong address, jlong bytes)
{
	return vb_unmap((uint64_t)address, (uint64_t)bytes);
}

NATIVE(jlong, channelCreate, jlong device)
{
	return vb_channel_create(device);
}

NATIVE(jint, channelDestroy, jlong channel)
{
	return vb_channel_destroy(channel);
}

NATIVE(jlong, channelWait, jlong channel, jint timeout)
{
	return vb_channel_wait(channel, timeout);
}

NATIVE(jint, channelNudge, jlong channel)
{
	return vb_channel_nudge(channel);
}

NATIVE(jint, channelCalm, jlong channel)
{
	return vb_channel_calm(channel);
}

NATIVE(jlong, queueCreate, jlong device, jlong channel, jint depth)
{
	return vb_queue_create(device, channel, (uint32_t)depth);
}

NATIVE(jint, queueDestroy, jlong queue)
{
	return vb_queue_destroy(queue);
}

NATIVE(jint, queueArm, jlong queue, jboolean solicited_only)
{
	return vb_queue_arm(queue, solicited_only);
}

NATIVE(jint, queuePoll, jlong queue, jlong into, jint room)
{
	return vb_queue_poll(queue, AT(into), room);
}

NATIVE(jlong, queuePairCreate, jlong domain, jlong sends, jlong receives, jlong shared,
       jint send_depth, jint receive_depth, jint buffers, jint max_inline, jlong number)
{
	const uint32_t limits[] = {(uint32_t)send_depth, (uint32_t)receive_depth,
				   (uint32_t)buffers, (uint32_t)max_inline};

	return vb_queue_pair_create(domain, sends, receives, shared, limits, AT(number));
}

NATIVE(jint, queuePairDestroy, jlong pair)
{
	return vb_queue_pair_destroy(pair);
}

NATIVE(jint, queuePairReady, jlong pair, jlong id, jlong path)
{
	return vb_queue_pair_ready(pair, id, AT(path));
}

NATIVE(jint, queuePairHold, jlong pair, jboolean hold)
{
	return vb_queue_pair_hold(pair, hold);
}

NATIVE(jint, queuePairBreak, jlong pair)
{
	return vb_queue_pair_break(pair);
}

NATIVE(jint, queuePairState, jlong pair)
{
	return vb_queue_pair_state(pair);
}

NATIVE(jint, postSend, jlong pair, jlong requests, jint count)
{
	return vb_post_send(pair, AT(requests), count);
}

NATIVE(jint, postReceive, jlong pair, jlong request)
{
	return vb_post_receive(pair, AT(request));
}

NATIVE(jlong, sharedCreate, jlong domain, jint depth, jint buffers)
{
	return vb_shared_create(domain, (uint32_t)depth, (uint32_t)buffers);
}

NATIVE(jint, sharedDestroy, jlong shared)
{
	return vb_shared_destroy(shared);
}

NATIVE(jint, sharedPost, jlong shared, jlong request)
{
	return vb_shared_post(shared, AT(request));
}

NATIVE(jint, sharedLimit, jlong shared, jint limit)
{
	return vb_shared_limit(shared, (uint32_t)limit);
}

NATIVE(jlong, idCreate, jlong device)
{
	return vb_id_create(device);
}

NATIVE(jint, idDestroy, jlong id)
{
	return vb_id_destroy(id);
}

NATIVE(jint, idBind, jlong id, jlong address)
{
	return vb_id_bind(id, AT(address));
}

NATIVE(jint, idListen, jlong id, jint backlog)
{
	return vb_id_listen(id, backlog);
}

NATIVE(jint, idAddress, jlong id, jlong into)
{
	return vb_id_address(id, AT(into));
}

NATIVE(jint, idResolveAddress, jlong id, jlong source, jlong target, jint timeout)
{
	return vb_id_resolve_address(id, AT(source), AT(target), timeout);
}

NATIVE(jint, idResolveRoute, jlong id, jint timeout)
{
	return vb_id_resolve_route(id, timeout);
}

NATIVE(jint, idIsOn, jlong id, jlong device)
{
	return vb_id_is_on(id, device);
}

NATIVE(jint, idConnect, jlong id, jlong pair, jint reads, jint rnr_retries, jlong data, jint length)
{
	return vb_id_connect(id, pair, (uint32_t)reads, (uint32_t)rnr_retries, AT(data), length);
}

NATIVE(jint, idAccept, jlong id, jlong pair, jint reads_of_peer, jint reads, jint rnr_retries,
       jlong data, jint length)
{
	return vb_id_accept(id, pair, (uint32_t)reads_of_peer, (uint32_t)reads,
			    (uint32_t)rnr_retries, AT(data), length);
}

NATIVE(jint, idEstablish, jlong id)
{
	return vb_id_establish(id);
}

NATIVE(jint, idReject, jlong id, jlong data, jint length)
{
	return vb_id_reject(id, AT(data), length);
}

NATIVE(jint, idDisconnect, jlong id)
{
	return vb_id_disconnect(id);
}
