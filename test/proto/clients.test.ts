import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INTERNAL_SECRET_KEY, internalMetadata } from '../../proto/clients.ts';

test('internalMetadata() puts the internal secret into gRPC metadata; the error about an invalid secret does not contain the secret', () => {
  assert.deepEqual(internalMetadata('between us').get(INTERNAL_SECRET_KEY), ['between us']);
  assert.throws(
    () => internalMetadata('between\u0007us'),
    (error: Error) => !(error.stack ?? '').includes('between\u0007us') && error.cause === undefined,
  );
});
