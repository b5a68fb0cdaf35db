import { OutageDetector } from '../../../core/detector/outage-detector.ts';

/** One second, ms. */
export const SECOND = 1_000;
/** One minute, ms. */
export const MINUTE = 60 * SECOND;
/** Start of the simulated time in each test, Unix ms. */
export const start = Date.UTC(2026, 0, 1);

/**
 * Simulated networks with game servers, which a test probes. `outage`: the outage detector that gets the results of
 * these probes. `now`: the current time, Unix ms.
 */
export interface Fleet {
  outage: OutageDetector;
  now: number;
}

/**
 * Probes each network once a minute, for `seconds` seconds. `answers` decides whether a network answers its probe.
 * Looks at the outage circuit breaker after each probe. In the result, `opened` is true if it was open at least once,
 * and `closed` is true if it was closed at least once.
 */
export function probeNetworks(
  fleet: Fleet,
  networks: number,
  seconds: number,
  answers: (network: number) => boolean,
) {
  let opened = false;
  let closed = false;
  const looks = Math.round((seconds * networks) / 60);
  for (let i = 0; i < looks; i++) {
    fleet.now += MINUTE / networks;
    const network = i % networks;
    const answered = answers(network);
    if (answered) fleet.outage.heard(fleet.now);
    fleet.outage.firstLook(network, answered, fleet.now);
    opened ||= fleet.outage.isOpen;
    closed ||= !fleet.outage.isOpen;
  }
  return { opened, closed };
}

/** Value for the argument `answers` of `probeNetworks`: all networks answer their probes. */
export const all = () => true;
/** Value for the argument `answers` of `probeNetworks`: no network answers its probes. */
export const none = () => false;

/**
 * Returns `networks` simulated networks with an outage detector. All networks have answered their probes for ten
 * minutes.
 */
export function healthy(networks: number): Fleet {
  const fleet = { outage: new OutageDetector(), now: start };
  probeNetworks(fleet, networks, 600, all);
  return fleet;
}
