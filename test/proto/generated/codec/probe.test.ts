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
import { lease, outcomes, payload, randomRequest, randomResponse, report } from './session-messages.ts';

const { Session } = gsqV1.ProbeService.service;

/**
 * Decodes a reported payload with proto-loader. Fails if the counts or the ping of the reported payload differ from the
 * result.
 */
function payloadOf(reported: ReportedPayload) {
  const message = gsqV1.ServerPayload.deserialize(reported.data());
  assert.deepEqual(
    [reported.players, reported.maxplayers],
    [message.players ?? -1, message.maxplayers ?? -1],
  );
  assert.equal(reported.ping, message.ping);
  return message;
}

/**
 * Returns a message without the absent members of its oneof, and without the property `message`, which contains the
 * name of the present member.
 */
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

test('session-messages.ts: `outcomes` contains all 15 probe outcomes of the .proto file', () => {
  assert.equal(outcomes.length, 15);
});

test("the generated codec and proto-loader read each other's session requests", () => {
  for (let round = 0; round < 500; round++) {
    const message = randomRequest();
    const theirs = Session.requestSerialize(message);
    const meant = Session.requestDeserialize(theirs);
    assert.deepEqual(Session.requestDeserialize(encodeSessionRequest(message)), meant);
    assert.deepEqual(decoded(theirs), present(meant));
    assert.deepEqual(decoded(encodeSessionRequest(message)), present(meant));
  }
});

test("the generated codec and proto-loader read each other's session responses", () => {
  for (let round = 0; round < 500; round++) {
    const message = randomResponse();
    const theirs = Session.responseSerialize(message);
    const meant = Session.responseDeserialize(theirs);
    assert.deepEqual(Session.responseDeserialize(encodeSessionResponse(message)), meant);
    assert.deepEqual(present(decodeSessionResponse(theirs)), present(meant));
    assert.deepEqual(present(decodeSessionResponse(encodeSessionResponse(message))), present(meant));
  }
});

test('decodeSessionRequest() keeps only the later one of the fields `hello` and `reports`, and reads payload fields in any order', () => {
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

test('the generated codec of the probe session reads absent fields as their proto3 defaults', () => {
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

test('the generated codec of the probe session reads unpacked query ports, and ignores unknown fields and unknown outcomes', () => {
  const inside = Buffer.from([0x38, 0x01, 0x38, 0xff, 0x7f, 0x7a, 0x01, 0x41]);
  const bytes = Buffer.concat([Buffer.from([0x12, inside.length + 2, 0x0a, inside.length]), inside]);
  assert.deepEqual(decodeSessionResponse(bytes).leases?.leases[0]?.queryPorts, [1, 16_383]);
  const report = Buffer.from([0x12, 0x06, 0x12, 0x04, 0x08, 0x05, 0x10, 0x63]);
  const [read] = decodeSessionRequest(report).reports?.reports ?? [];
  assert.deepEqual([read?.leaseId, read?.outcome], [5, 'PROBE_OUTCOME_UNSPECIFIED']);
});

test('the generated codec of the probe session refuses truncated messages', () => {
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
  // A string and a number that extend beyond the end of the report that contains them.
  for (const inside of [
    [0x1a, 0x02],
    [0x08, 0x81],
  ]) {
    const bytes = Buffer.from([0x12, 0x08, 0x12, 0x02, ...inside, 0x08, 0x01, 0x08, 0x01]);
    assert.throws(() => decodeSessionRequest(bytes), WireError);
  }
});
