import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteWriter } from '../../../../proto/codec/byte-writer.ts';
import { gsqV1 } from '../../../../proto/descriptors.ts';
import { decodeFetchStreamResponse } from '../../../../proto/generated/codec/fetch.ts';
import { ServiceError, toRpcStatus } from '../../../../proto/service-error.ts';
import {
  openReply,
  writeAccount,
  writeChecked,
  writeError,
  writeFetched,
} from '../../../../proto/streams/fetch-replies.ts';

test("gsq and proto-loader can read each other's fetch replies", () => {
  const allowance = {
    policy: 'day',
    limit: 1440,
    remaining: 0,
    windowSeconds: 86_400,
    resetSeconds: 4_294_967_295,
  };
  const burst = { policy: 'burst', limit: 0, remaining: 1, windowSeconds: 1, resetSeconds: 1 };
  const status = toRpcStatus(
    new ServiceError('QUOTA_1', 'über', { retryAfterSeconds: 3, facts: { used: '1' } }),
  );
  const writer = new ByteWriter(16);
  const whole = (start: number): void => writer.closeField(start);

  const body = Buffer.alloc(300_001, 'x');
  const tag = Buffer.from([0, 255, 62, 63]);
  let reply = openReply(writer, 0xffff_ffff, [allowance, burst]);
  writeFetched(writer, () => {
    writer.copy(body);
    return { tag, gzipped: true };
  });
  whole(reply);
  reply = openReply(writer, 2, []);
  writeFetched(writer, () => ({ tag: Buffer.alloc(0), gzipped: false }));
  whole(reply);
  reply = openReply(writer, 0, [burst]);
  writeChecked(writer);
  whole(reply);
  const account = { tokenId: 'tok_0123456789ab', addresses: 1000, inserted: 1, invalid: 0 };
  reply = openReply(writer, 4, [allowance]);
  writeAccount(writer, account);
  writeError(writer, status);
  whole(reply);

  const bytes = writer.takeBytes();
  const { replies } = gsqV1.FetchStreamResponse.deserialize(bytes);
  assert.deepEqual(
    replies.map(({ id, outcome }) => [id, outcome]),
    [
      [0xffff_ffff, 'fetched'],
      [2, 'fetched'],
      [0, 'checked'],
      [4, 'error'],
    ],
  );
  assert.deepEqual(
    replies[0]?.allowances.map(each => ({ ...each })),
    [allowance, burst],
  );
  assert.ok(replies[0]?.fetched?.body.equals(body));
  assert.deepEqual(
    replies.map(({ fetched }) => fetched?.gzipped),
    [true, false, undefined, undefined],
  );
  assert.deepEqual(replies[0]?.fetched?.tag, tag);
  assert.equal(replies[3]?.error?.message, 'über');

  for (const form of [bytes, gsqV1.FetchStreamResponse.serialize({ replies })]) {
    const [fetched, empty, checked, error] = decodeFetchStreamResponse(form).replies;
    assert.deepEqual(
      { ...fetched, fetched: { ...fetched?.fetched, body: undefined } },
      {
        id: 0xffff_ffff,
        allowances: [allowance, burst],
        fetched: { body: undefined, gzipped: true, tag: 'AP8-Pw' },
        checked: null,
        error: null,
        account: null,
      },
    );
    assert.ok(fetched?.fetched?.body.equals(body));
    assert.equal(fetched?.fetched?.body.buffer, form.buffer, 'the body is not copied');
    assert.equal(empty?.id, 2);
    assert.deepEqual(
      { ...empty?.fetched, body: empty?.fetched?.body.length },
      { body: 0, gzipped: false, tag: '' },
    );
    assert.deepEqual([checked?.fetched, checked?.checked, checked?.allowances], [null, {}, [burst]]);
    assert.deepEqual(error?.error, status);
    assert.equal(error?.fetched, null);
    assert.deepEqual(error?.account, account);
  }
  assert.equal(writer.length, 0);
});
