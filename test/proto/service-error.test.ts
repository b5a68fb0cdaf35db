import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Metadata, status } from '@grpc/grpc-js';
import { googleRpc } from '../../proto/descriptors.ts';
import { isReasonCode, reasons } from '../../proto/reasons.ts';
import {
  ERROR_DOMAIN,
  fromGrpcStatus,
  fromRpcStatus,
  ServiceError,
  type ServiceErrorDetails,
  toGrpcStatus,
  toRpcStatus,
} from '../../proto/service-error.ts';

const PREFIX = 'type.googleapis.com/google.rpc';

/**
 * Returns a ServiceError as a client receives it: serializes the error into gRPC metadata, and parses it from there.
 */
function received(error: ServiceError): ServiceError | undefined {
  const { metadata } = toGrpcStatus(error);
  return fromGrpcStatus({ metadata });
}

describe('a ServiceError sent over gRPC', () => {
  for (const code of Object.keys(reasons).filter(isReasonCode)) {
    test(`keeps its code and message if the code is ${code}`, () => {
      const error = new ServiceError(code, `about ${code}`);
      const sent = toGrpcStatus(error);
      assert.equal(sent.code, reasons[code].grpc);
      assert.equal(sent.details, `about ${code}`);
      const back = received(error);
      assert.equal(back?.code, code);
      assert.equal(back?.message, `about ${code}`);
      assert.deepEqual(back?.details, {});
    });
  }

  const details: [name: string, details: ServiceErrorDetails][] = [
    ['violations', { violations: [{ path: 'servers[0].game_id', message: 'must be a string' }] }],
    ['an empty list of violations', { violations: [] }],
    ['a delay before a retry', { retryAfterSeconds: 17 }],
    ['an immediate retry', { retryAfterSeconds: 0 }],
    ['the subject of a quota', { quotaSubject: 'token:a1' }],
    ['facts', { facts: { quota: '1440', used: '1441' } }],
    [
      'violations, a retry delay and facts',
      { violations: [{ path: '', message: 'x' }], retryAfterSeconds: 1, facts: { a: 'b' } },
    ],
  ];
  for (const [name, given] of details) {
    test(`arrives at the client with all its details: ${name}`, () => {
      assert.deepEqual(received(new ServiceError('QUOTA_1', 'm', given))?.details, given);
    });
  }

  test('contains the standard messages of google.rpc: ErrorInfo, BadRequest, QuotaFailure, RetryInfo and RequestInfo', () => {
    const error = new ServiceError('POST_2', 'bad', {
      violations: [{ path: 'servers', message: 'must be an array' }],
      retryAfterSeconds: 3,
      facts: { k: 'v' },
      quotaSubject: 'token:a1',
    });
    const rpc = toRpcStatus(error, 'an-id');
    assert.equal(rpc.code, status.INVALID_ARGUMENT);
    assert.deepEqual(
      rpc.details.map(({ type_url }) => type_url),
      ['ErrorInfo', 'BadRequest', 'QuotaFailure', 'RetryInfo', 'RequestInfo'].map(
        name => `${PREFIX}.${name}`,
      ),
    );
    const [info = Buffer.alloc(0), , quota = Buffer.alloc(0), , request = Buffer.alloc(0)] = rpc.details.map(
      ({ value }) => value,
    );
    assert.deepEqual(
      { ...googleRpc.ErrorInfo.deserialize(info) },
      { reason: 'POST_2', domain: ERROR_DOMAIN, metadata: { k: 'v' } },
    );
    const [violation] = googleRpc.QuotaFailure.deserialize(quota).violations;
    assert.deepEqual({ ...violation }, { subject: 'token:a1', description: 'bad' });
    assert.equal(googleRpc.RequestInfo.deserialize(request).requestId, 'an-id');
  });

  test('becomes INTERNAL_1 without its original message if its code is unknown', () => {
    const foreign = fromRpcStatus({ code: status.INTERNAL, message: 'secret at 10.0.0.1', details: [] });
    assert.equal(foreign.code, 'INTERNAL_1');
    assert.doesNotMatch(foreign.message, /secret|10\.0/);
    const unknown = googleRpc.ErrorInfo.serialize({ reason: 'NEW_9', domain: ERROR_DOMAIN, metadata: {} });
    const later = fromRpcStatus({
      code: status.INTERNAL,
      message: 'x',
      details: [{ type_url: `${PREFIX}.ErrorInfo`, value: unknown }],
    });
    assert.equal(later.code, 'INTERNAL_1');
  });

  test('cannot be restored from a gRPC status without gsq error details: fromGrpcStatus returns undefined', () => {
    assert.equal(fromGrpcStatus({}), undefined);
    assert.equal(fromGrpcStatus({ metadata: new Metadata() }), undefined);
  });
});

test('isReasonCode accepts known codes, and rejects unknown codes and names such as toString', () => {
  assert.ok(isReasonCode('AUTH_3'));
  for (const text of ['', 'AUTH_9', 'toString', '__proto__', 'constructor'])
    assert.equal(isReasonCode(text), false);
});
