import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { errorReply } from '../../../gateway/http/error-reply.ts';
import { overloadReply } from '../../../gateway/http/overload-reply.ts';
import { overloaded } from '../../../gateway/upstream/core-errors.ts';
import { ServiceError } from '../../../proto/service-error.ts';

for (const [id, retryAfterSeconds] of [
  ['a', 1],
  ['x'.repeat(64), 2],
  ['4f1c-._9', 8],
] as const) {
  test(`the prepared reply of an overloaded gateway equals the usual error reply for CORE_1 (request id ${id})`, async () => {
    const { gzipped, logged, ...reply } = overloadReply(id, retryAfterSeconds);
    const { code, message } = overloaded;
    assert.deepEqual(reply, errorReply(new ServiceError(code, message, { retryAfterSeconds }), id));
    assert.deepEqual(gunzipSync((await gzipped?.()) ?? ''), reply.body);
    assert.equal(logged, true);
  });
}
