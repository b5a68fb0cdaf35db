import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReportedPayload } from '../../../../proto/codec/reported-payload.ts';
import { WireError } from '../../../../proto/codec/wire-reader.ts';
import { gsqV1 } from '../../../../proto/descriptors.ts';
import {
  decodeSessionRequest,
  decodeSessionResponse,
  encodeSessionRequest,
  encodeSessionResponse,
} from '../../../../proto/generated/codec/probe.ts';
import type { ProbeOutcome__Output } from '../../../../proto/generated/gsq/v1/ProbeOutcome.ts';
import { randomNumbers } from '../../../system/random-numbers.ts';

const below = randomNumbers(5);
function pick<T>(choices: readonly T[]): T {
  const picked = choices[below(choices.length)];
  assert.ok(picked !== undefined);
  return picked;
}
const some = <T>(most: number, make: () => T): T[] => Array.from({ length: below(most + 1) }, make);
const text = () => pick(['', 'a', 'de_dust2', '1.2.3.4:27015', 'ü☃ 😀', 'x'.repeat(300), '"\\\u0000']);
const uint = () => pick([0, 1, 127, 128, 16_383, 16_384, 65_535, 0xffff_ffff]);
const int = () => pick([0, 1, -1, 127, -128, 0x7fff_ffff, -0x8000_0000]);
const flag = () => below(2) === 1;
const id = () => pick([0, 1, 0xffff_ffff, 1_790_000_000_000_000]);

const { Session } = gsqV1.ProbeService.service;
const { value: values = [] } = gsqV1.ProbeOutcome.type as { value?: { name: ProbeOutcome__Output }[] };
const outcomes = values.map(({ name }) => name);

const payload = () => ({
  name: text(),
  map: text(),
  ...(flag() && { players: uint() }),
  ...(flag() && { maxplayers: uint() }),
  numbots: uint(),
  password: flag(),
  version: text(),
  ping: uint(),
  connect: text(),
  playerList: some(4, () => ({ name: text(), score: int(), time: uint() })),
});
const report = () => ({
  leaseId: id(),
  outcome: pick(outcomes),
  detail: text(),
  queryPort: uint(),
  payload: flag() ? payload() : null,
  retryAfterMs: uint(),
  signals: flag()
    ? {
        packetsSent: uint(),
        packetsLost: uint(),
        challenged: flag(),
        packetsRejected: uint(),
        address: text(),
      }
    : null,
});
const lease = () => ({
  leaseId: id(),
  gameId: text(),
  host: text(),
  port: uint(),
  protocol: text(),
  gamedigId: text(),
  queryPorts: some(4, uint),
  confirm: flag(),
  timeoutMs: uint(),
  urgent: flag(),
  secret: text(),
  options: some(2, () => ({ name: text(), value: text() })),
});
const requests = () =>
  pick([
    () => ({
      hello: {
        prober: text(),
        maxInFlight: uint(),
        session: text(),
        leasesReceived: uint(),
        absentCounts: flag(),
      },
    }),
    () => ({ reports: { seq: id(), reports: some(5, report) } }),
  ])();
const responses = () =>
  pick([
    () => ({
      welcome: { allowTargets: some(3, text), denyTargets: some(3, text), session: text(), lastSeq: uint() },
    }),
    () => ({ leases: { leases: some(5, lease) } }),
    () => ({ ack: { seq: id() } }),
  ])();

/** A payload as proto-loader gives it. */
function payloadOf(reported: ReportedPayload) {
  const message = gsqV1.ServerPayload.deserialize(reported.data());
  assert.deepEqual(
    [reported.players, reported.maxplayers],
    [message.players ?? -1, message.maxplayers ?? -1],
  );
  assert.equal(reported.ping, message.ping);
  return message;
}

/** Without the members of a oneof that are not there, and without the property that names the one that is. */
function present(message: object) {
  return Object.fromEntries(
    Object.entries(message).filter(([name, value]) => value !== null && name !== 'message'),
  );
}

function decoded(bytes: Buffer) {
  const { reports, ...others } = decodeSessionRequest(bytes);
  if (!reports) return present(others);
  const read = reports.reports.map(({ payload, ...rest }) => {
    assert.equal(
      payload?.isTimed ?? false,
      payload ? payloadOf(payload).playerList.some(p => p.time > 0) : false,
    );
    return { ...rest, payload: payload && payloadOf(payload) };
  });
  return { ...present(others), reports: { ...reports, reports: read } };
}

test('the tests know every outcome', () => {
  assert.equal(outcomes.length, 15);
});

test('writes and reads session requests as proto-loader does', () => {
  for (let round = 0; round < 500; round++) {
    const message = requests();
    const theirs = Session.requestSerialize(message);
    const meant = Session.requestDeserialize(theirs);
    assert.deepEqual(Session.requestDeserialize(encodeSessionRequest(message)), meant);
    assert.deepEqual(decoded(theirs), present(meant));
    assert.deepEqual(decoded(encodeSessionRequest(message)), present(meant));
  }
});

test('writes and reads session responses as proto-loader does', () => {
  for (let round = 0; round < 500; round++) {
    const message = responses();
    const theirs = Session.responseSerialize(message);
    const meant = Session.responseDeserialize(theirs);
    assert.deepEqual(Session.responseDeserialize(encodeSessionResponse(message)), meant);
    assert.deepEqual(present(decodeSessionResponse(theirs)), present(meant));
    assert.deepEqual(present(decodeSessionResponse(encodeSessionResponse(message))), present(meant));
  }
});

test('keeps the last of hello and reports, and reads payload fields in any order', () => {
  const [hello, reports] = [
    { hello: { prober: 'one' } },
    { reports: { seq: 3, reports: [report(), report()] } },
  ];
  const [helloBytes, reportBytes] = [Session.requestSerialize(hello), Session.requestSerialize(reports)];
  const meant = Session.requestDeserialize(Buffer.concat([helloBytes, reportBytes]));
  assert.deepEqual(decoded(Buffer.concat([helloBytes, reportBytes])), { reports: meant.reports });
  assert.deepEqual(decoded(Buffer.concat([reportBytes, helloBytes])), { hello: meant.hello });
  const inside = gsqV1.ServerPayload.serialize({ players: 7, name: 'late', playerList: [{ name: 'Ann' }] });
  const reversed = Buffer.concat([
    Buffer.from([0x5a, 0x03, 0x0a, 0x01, 0x42]),
    inside,
    Buffer.from([0x18, 0x08]),
  ]);
  const payloadField = Buffer.concat([Buffer.from([0x2a, reversed.length]), reversed]);
  const reportField = Buffer.concat([Buffer.from([0x12, payloadField.length]), payloadField]);
  const bytes = Buffer.concat([Buffer.from([0x12, reportField.length]), reportField]);
  assert.deepEqual(decoded(bytes), present(Session.requestDeserialize(bytes)));
});

test('reads absent fields as their proto3 defaults', () => {
  for (const message of [{}, { reports: {} }, { reports: { reports: [{}, { payload: {}, signals: {} }] } }]) {
    const meant = Session.requestDeserialize(Session.requestSerialize(message));
    assert.deepEqual(Session.requestDeserialize(encodeSessionRequest(message)), meant);
    assert.deepEqual(decoded(Session.requestSerialize(message)), present(meant));
  }
  for (const message of [{}, { leases: {} }, { leases: { leases: [{}] } }]) {
    const meant = Session.responseDeserialize(Session.responseSerialize(message));
    assert.deepEqual(Session.responseDeserialize(encodeSessionResponse(message)), meant);
    assert.deepEqual(present(decodeSessionResponse(Session.responseSerialize(message))), present(meant));
  }
});

test('reads unpacked ports, and ignores unknown fields and outcomes', () => {
  const inside = Buffer.from([0x38, 0x01, 0x38, 0xff, 0x7f, 0x7a, 0x01, 0x41]);
  const bytes = Buffer.concat([Buffer.from([0x12, inside.length + 2, 0x0a, inside.length]), inside]);
  assert.deepEqual(decodeSessionResponse(bytes).leases?.leases[0]?.queryPorts, [1, 16_383]);
  const report = Buffer.from([0x12, 0x06, 0x12, 0x04, 0x08, 0x05, 0x10, 0x63]);
  const [read] = decodeSessionRequest(report).reports?.reports ?? [];
  assert.deepEqual([read?.leaseId, read?.outcome], [5, 'PROBE_OUTCOME_UNSPECIFIED']);
});

test('refuses messages that are cut short', () => {
  const request = encodeSessionRequest({
    reports: { seq: 1, reports: [{ ...report(), payload: payload() }] },
  });
  const response = encodeSessionResponse({ leases: { leases: [lease()] } });
  for (let end = 1; end < request.length; end++) {
    assert.throws(() => decodeSessionRequest(request.subarray(0, end)), Error);
  }
  for (let end = 1; end < response.length; end++) {
    assert.throws(() => decodeSessionResponse(response.subarray(0, end)), Error);
  }
  const nonsense = Buffer.from([0x12, 0x03, 0x12, 0x05, 0x08]);
  assert.throws(() => decodeSessionRequest(nonsense), WireError);
  // A text, and a number, that go on behind the end of the report they are in.
  for (const inside of [
    [0x1a, 0x02],
    [0x08, 0x81],
  ]) {
    const bytes = Buffer.from([0x12, 0x08, 0x12, 0x02, ...inside, 0x08, 0x01, 0x08, 0x01]);
    assert.throws(() => decodeSessionRequest(bytes), WireError);
  }
});
