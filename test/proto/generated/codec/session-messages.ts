import assert from 'node:assert/strict';
import { gsqV1 } from '../../../../proto/descriptors.ts';
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

const { value: values = [] } = gsqV1.ProbeOutcome.type as { value?: { name: ProbeOutcome__Output }[] };
/** Names of all probe outcomes in the .proto file. */
export const outcomes = values.map(({ name }) => name);

/** Returns a random server payload. */
export const payload = () => ({
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
/** Returns a random report of a probe. */
export const report = () => ({
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
/** Returns a random lease. */
export const lease = () => ({
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
/** Returns a random message from a prober to the core: a hello or some reports. */
export const randomRequest = () =>
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
/** Returns a random message from the core to a prober: a welcome, some leases or an acknowledgement. */
export const randomResponse = () =>
  pick([
    () => ({
      welcome: { allowTargets: some(3, text), denyTargets: some(3, text), session: text(), lastSeq: uint() },
    }),
    () => ({ leases: { leases: some(5, lease) } }),
    () => ({ ack: { seq: id() } }),
  ])();
