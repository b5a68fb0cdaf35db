import { gsqV1 } from '../descriptors.ts';
import type { Lease, Lease__Output } from '../generated/gsq/v1/Lease.ts';
import type { LeaseOption__Output } from '../generated/gsq/v1/LeaseOption.ts';
import type { Leases__Output } from '../generated/gsq/v1/Leases.ts';
import type { ProbeOutcome__Output } from '../generated/gsq/v1/ProbeOutcome.ts';
import type { ProbeSignals, ProbeSignals__Output } from '../generated/gsq/v1/ProbeSignals.ts';
import type { SessionRequest, SessionRequest__Output } from '../generated/gsq/v1/SessionRequest.ts';
import type { SessionResponse, SessionResponse__Output } from '../generated/gsq/v1/SessionResponse.ts';
import type { StatusReport, StatusReport__Output } from '../generated/gsq/v1/StatusReport.ts';
import { ByteWriter } from './byte-writer.ts';
import { writePayload } from './payload.generated.ts';
import { ReportedPayload } from './reported-payload.ts';
import { StringInterner } from './string-interner.ts';
import { LEN, VARINT, WireReader } from './wire-reader.ts';

/*
 * The messages of ProbeService.Session that come by the thousands a second (gsq/v1/probe.proto): leases and reports. The
 * rest, and what holds anything beside them, is left to proto-loader, which the tests compare these with.
 */

/** By number. */
const OUTCOMES: readonly ProbeOutcome__Output[] = [
  'PROBE_OUTCOME_UNSPECIFIED',
  'PROBE_OUTCOME_ONLINE',
  'PROBE_OUTCOME_NO_REPLY',
  'PROBE_OUTCOME_MALFORMED',
  'PROBE_OUTCOME_REFUSED',
  'PROBE_OUTCOME_UNRESOLVABLE',
  'PROBE_OUTCOME_BLOCKED',
  'PROBE_OUTCOME_PROBER_FAULT',
  'PROBE_OUTCOME_HELD_BACK',
  'PROBE_OUTCOME_NEEDS_CREDENTIALS',
  'PROBE_OUTCOME_NEEDS_OPTION',
  'PROBE_OUTCOME_DIRECTORY_UNAVAILABLE',
  'PROBE_OUTCOME_DIRECTORY_REFUSED',
  'PROBE_OUTCOME_NOT_LISTED',
  'PROBE_OUTCOME_PACED',
];
const NUMBERS: ReadonlyMap<unknown, number> = new Map(OUTCOMES.map((outcome, number) => [outcome, number]));

// Every message is written from its first byte to its last in one go.
const writer = new ByteWriter();

export function encodeSessionRequest(message: SessionRequest): Buffer {
  const { hello, reports } = message;
  if (hello || !reports) return gsqV1.SessionRequest.serialize(message);
  const start = writer.open(2);
  writer.uintField(1, Number(reports.seq ?? 0));
  for (const report of reports.reports ?? []) writeReport(report);
  writer.close(start);
  return writer.take();
}

function writeReport(report: StatusReport): void {
  const start = writer.open(2);
  writer.uintField(1, Number(report.leaseId ?? 0));
  writer.uintField(2, NUMBERS.get(report.outcome) ?? 0);
  writer.textField(3, report.detail ?? '');
  writer.uintField(4, report.queryPort ?? 0);
  if (report.payload) {
    const payloadStart = writer.open(5);
    writePayload(writer, report.payload);
    writer.close(payloadStart);
  }
  writer.uintField(6, report.retryAfterMs ?? 0);
  if (report.signals) writeSignals(report.signals);
  writer.close(start);
}

function writeSignals(signals: ProbeSignals): void {
  const { address = '' } = signals;
  // A UTF-16 unit is at most three bytes, and the rest at most 28.
  const start = writer.open(7, 28 + address.length * 3);
  writer.uintField(1, signals.packetsSent ?? 0);
  writer.uintField(2, signals.packetsLost ?? 0);
  writer.uintField(3, signals.challenged ? 1 : 0);
  writer.uintField(6, signals.packetsRejected ?? 0);
  writer.textField(7, address);
  writer.close(start);
}

/** A StatusReport as the core takes it. */
export type ReceivedReport = Omit<StatusReport__Output, 'payload'> & { payload: ReportedPayload | null };

/** A SessionRequest as the core takes it. */
export type ReceivedRequest = Omit<SessionRequest__Output, 'reports'> & {
  reports?: { seq: number; reports: ReceivedReport[] } | null;
};

/** Throws WireError, or what proto-loader throws, on bytes that are no SessionRequest. */
export function decodeSessionRequest(bytes: Buffer): ReceivedRequest {
  const reader = new WireReader(bytes);
  if (reader.next() && reader.field === 2 && reader.type === LEN && reader.end === bytes.length)
    return { reports: readReports(reader), message: 'reports' };
  const { reports, ...others } = gsqV1.SessionRequest.deserialize(bytes);
  // Of another writer than ours: written once more, as ours does.
  return reports ? { ...decodeSessionRequest(encodeSessionRequest({ reports })), ...others } : others;
}

function readReports(reader: WireReader): { seq: number; reports: ReceivedReport[] } {
  const found: { seq: number; reports: ReceivedReport[] } = { seq: 0, reports: [] };
  const outerEnd = reader.enter();
  while (reader.next()) {
    if (reader.field === 2 && reader.type === LEN) found.reports.push(readReport(reader));
    else if (reader.field === 1 && reader.type === VARINT) found.seq = reader.value;
  }
  reader.leave(outerEnd);
  return found;
}

function readReport(reader: WireReader): ReceivedReport {
  const report: ReceivedReport = {
    leaseId: 0,
    outcome: 'PROBE_OUTCOME_UNSPECIFIED',
    detail: '',
    queryPort: 0,
    payload: null,
    retryAfterMs: 0,
    signals: null,
  };
  const outerEnd = reader.enter();
  while (reader.next()) {
    const { field } = reader;
    if (reader.type === VARINT) {
      if (field === 1) report.leaseId = reader.value;
      else if (field === 2) report.outcome = OUTCOMES[reader.value] ?? 'PROBE_OUTCOME_UNSPECIFIED';
      else if (field === 4) report.queryPort = reader.uint32;
      else if (field === 6) report.retryAfterMs = reader.uint32;
    } else if (reader.type === LEN) {
      if (field === 3) report.detail = reader.text();
      else if (field === 5) report.payload = new ReportedPayload(reader);
      else if (field === 7) report.signals = readSignals(reader);
    }
  }
  reader.leave(outerEnd);
  return report;
}

function readSignals(reader: WireReader): ProbeSignals__Output {
  const signals: ProbeSignals__Output = {
    packetsSent: 0,
    packetsLost: 0,
    challenged: false,
    packetsRejected: 0,
    address: '',
  };
  const outerEnd = reader.enter();
  while (reader.next()) {
    const { field } = reader;
    if (reader.type === LEN && field === 7) signals.address = reader.text();
    if (reader.type !== VARINT) continue;
    if (field === 1) signals.packetsSent = reader.uint32;
    else if (field === 2) signals.packetsLost = reader.uint32;
    else if (field === 3) signals.challenged = reader.value !== 0;
    else if (field === 6) signals.packetsRejected = reader.uint32;
  }
  reader.leave(outerEnd);
  return signals;
}

export function encodeSessionResponse(message: SessionResponse): Buffer {
  const { leases, welcome, ack } = message;
  if (welcome || ack || !leases) return gsqV1.SessionResponse.serialize(message);
  const start = writer.open(2);
  for (const lease of leases.leases ?? []) writeLease(lease);
  writer.close(start);
  return writer.take();
}

function writeLease(lease: Lease): void {
  const start = writer.open(1);
  writer.uintField(1, Number(lease.leaseId ?? 0));
  writer.textField(2, lease.gameId ?? '');
  writer.textField(3, lease.host ?? '');
  writer.uintField(4, lease.port ?? 0);
  writer.textField(5, lease.protocol ?? '');
  writer.textField(6, lease.gamedigId ?? '');
  const { queryPorts = [] } = lease;
  const portsStart = writer.open(7, queryPorts.length * 5);
  for (const port of queryPorts) writer.varint(port);
  writer.close(portsStart);
  writer.uintField(8, lease.confirm ? 1 : 0);
  writer.uintField(9, lease.timeoutMs ?? 0);
  writer.uintField(12, lease.urgent ? 1 : 0);
  writer.textField(10, lease.secret ?? '');
  for (const option of lease.options ?? []) {
    const optionStart = writer.open(11);
    writer.textField(1, option.name ?? '');
    writer.textField(2, option.value ?? '');
    writer.close(optionStart);
  }
  writer.close(start);
}

/** Throws WireError, or what proto-loader throws, on bytes that are no SessionResponse. */
export function decodeSessionResponse(bytes: Buffer): SessionResponse__Output {
  const reader = new WireReader(bytes);
  if (!reader.next() || reader.field !== 2 || reader.type !== LEN || reader.end !== bytes.length) {
    return gsqV1.SessionResponse.deserialize(bytes);
  }
  return { leases: readLeases(reader), message: 'leases' };
}

function readLeases(reader: WireReader): Leases__Output {
  const found: Leases__Output = { leases: [] };
  const outerEnd = reader.enter();
  while (reader.next()) {
    if (reader.field === 1 && reader.type === LEN) found.leases.push(readLease(reader));
  }
  reader.leave(outerEnd);
  return found;
}

/** What leases call games and protocols: thousands of leases are of the same few. */
const gameWords = new StringInterner();

function readLease(reader: WireReader): Lease__Output {
  const lease: Lease__Output = {
    leaseId: 0,
    gameId: '',
    host: '',
    port: 0,
    protocol: '',
    gamedigId: '',
    queryPorts: [],
    confirm: false,
    timeoutMs: 0,
    urgent: false,
    secret: '',
    options: NO_OPTIONS,
  };
  const outerEnd = reader.enter();
  while (reader.next()) {
    const { field } = reader;
    if (reader.type === VARINT) {
      if (field === 1) lease.leaseId = reader.value;
      else if (field === 4) lease.port = reader.uint32;
      else if (field === 7) lease.queryPorts.push(reader.uint32);
      else if (field === 8) lease.confirm = reader.value !== 0;
      else if (field === 9) lease.timeoutMs = reader.uint32;
      else if (field === 12) lease.urgent = reader.value !== 0;
    } else if (reader.type === LEN) {
      if (field === 2) lease.gameId = gameWords.read(reader.bytes, reader.start, reader.end);
      else if (field === 3) lease.host = reader.text();
      else if (field === 5) lease.protocol = gameWords.read(reader.bytes, reader.start, reader.end);
      else if (field === 6) lease.gamedigId = gameWords.read(reader.bytes, reader.start, reader.end);
      else if (field === 7) reader.packed(lease.queryPorts);
      else if (field === 10) lease.secret = reader.text();
      else if (field === 11) lease.options = [...lease.options, readOption(reader)];
    }
  }
  reader.leave(outerEnd);
  return lease;
}

/** Most leases have none, so they share an array. */
const NO_OPTIONS: LeaseOption__Output[] = [];

function readOption(reader: WireReader): LeaseOption__Output {
  const option: LeaseOption__Output = { name: '', value: '' };
  const outerEnd = reader.enter();
  while (reader.next()) {
    if (reader.type !== LEN) continue;
    if (reader.field === 1) option.name = reader.text();
    else if (reader.field === 2) option.value = reader.text();
  }
  reader.leave(outerEnd);
  return option;
}
