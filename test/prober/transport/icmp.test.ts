import assert from 'node:assert/strict';
import { constants } from 'node:os';
import { test } from 'node:test';
import { errorDetail } from '../../../prober/answers/answer.ts';
import { isIcmpCode, isRejectCode, rejectError } from '../../../prober/transport/icmp.ts';

const { ECONNREFUSED, EHOSTUNREACH, EMSGSIZE } = constants.errno;
const [LOCAL, ICMP, ICMP6] = [1, 2, 3];
/** Type numbers of ICMP messages. Only messages of the type "destination unreachable" can reject a packet. */
const [V4_UNREACHABLE, V4_TIME_EXCEEDED, V4_PARAMETER] = [3, 11, 12];
const [V6_UNREACHABLE, V6_TOO_BIG, V6_TIME_EXCEEDED, V6_PARAMETER] = [1, 2, 3, 4];

const codesThatReject = (origin: number, type: number): number[] =>
  Array.from({ length: 256 }, (_, code) => code).filter(code =>
    rejectError({ errno: EHOSTUNREACH, origin, type, code }),
  );

test('an ICMP message rejects a packet if a host, port, protocol or network is unreachable or prohibited', () => {
  assert.deepEqual(codesThatReject(ICMP, V4_UNREACHABLE), [0, 1, 2, 3, 6, 7, 9, 10, 11, 12, 13]);
  assert.deepEqual(codesThatReject(ICMP6, V6_UNREACHABLE), [0, 1, 3, 4, 6]);
});

test('a local error or an ICMP message such as "time exceeded" does not count as the rejection of a packet', () => {
  for (const type of [V4_TIME_EXCEEDED, V4_PARAMETER]) assert.deepEqual(codesThatReject(ICMP, type), []);
  for (const type of [V6_TOO_BIG, V6_TIME_EXCEEDED, V6_PARAMETER]) {
    assert.deepEqual(codesThatReject(ICMP6, type), []);
  }
  assert.deepEqual(codesThatReject(LOCAL, V4_UNREACHABLE), []);
  assert.equal(rejectError({ errno: EMSGSIZE, origin: ICMP, type: V4_UNREACHABLE, code: 4 }), undefined);
});

test('an ICMP rejection of a packet is reported as an error with the system error code, such as ECONNREFUSED', () => {
  const port = { errno: ECONNREFUSED, origin: ICMP, type: V4_UNREACHABLE, code: 3 };
  const error = rejectError(port);
  assert.ok(error && errorDetail(error) === 'ECONNREFUSED');
  assert.equal(rejectError(port), error);
  const host = rejectError({ ...port, errno: EHOSTUNREACH, code: 1 });
  assert.ok(host && errorDetail(host) === 'EHOSTUNREACH');
});

test('isRejectCode() returns false for EMSGSIZE, an ICMP error that does not reject a packet', () => {
  for (const [code, icmp, reject] of [
    ['ECONNREFUSED', true, true],
    ['EHOSTUNREACH', true, true],
    ['EMSGSIZE', true, false],
    ['EBADF', false, false],
  ] as const) {
    assert.deepEqual([isIcmpCode(code), isRejectCode(code)], [icmp, reject], code);
  }
});
