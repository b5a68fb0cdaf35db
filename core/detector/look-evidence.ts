import type { ServerRecord } from '../servers/server-record.ts';
import { evidenceOf, expectedLoss, firmness, THRESHOLD } from './evidence.ts';
import type { SilentProbe } from './judgement.ts';
import type { NetworkKeys } from './network-keys.ts';
import type { PathLoss } from './path-loss.ts';
import type { Evidence, Run } from './silence.ts';
import type { Uplink } from './uplink.ts';
import { DECISIVE_MS, LEAST_LOOKS } from './verdict.ts';

/** Least share of lost packets assumed of a server that never answered: nothing is known of the path to it. */
const STRANGER_LOSS = 0.1;
/** A witness is probed at once and answers within this, ms. */
const WITNESS_MS = 2_500;

/** A probe without a valid reply, and where it went. */
export interface Look {
  uplink: Uplink;
  keys: NetworkKeys;
  server: ServerRecord;
  run: Run;
  /** Least silence for a verdict, ms. */
  leastMs: number;
  /** When its last packet was sent, and when it was reported, ms. */
  from: number;
  now: number;
}

/**
 * Adds a lost look to the evidence of its run if another network answered meanwhile, which shows that the uplink worked.
 * Returns the key of a server to probe as a witness if none did; else empty.
 */
export function countLook(losses: PathLoss, look: Look, probe: SilentProbe): string {
  const { uplink, keys, server, run, from, now } = look;
  const { unwitnessed } = run;
  run.unwitnessed = undefined;
  if (probe.delisted) {
    // Two answers of a directory that lists all servers are enough.
    run.silence.add(now, 0, () => THRESHOLD / LEAST_LOOKS);
    return '';
  }
  if (probe.challenged) {
    // Something answers there, and the uplink works.
    run.challenged++;
    run.silence.clear();
    run.host.heard(now);
    addEvidence(losses, look, run.behindChallenge, from);
    return '';
  }
  // The verdict has been reached.
  if (run.convicted || server.status === 'offline') return '';
  if (unwitnessed?.uplink.heardOthers(keys.network, unwitnessed.from, unwitnessed.to))
    addEvidence(losses, look, run.silence, unwitnessed.from);
  if (
    probe.heard ||
    !uplink.expectsOthers(keys.network, now) ||
    uplink.heardOthers(keys.network, from, now)
  ) {
    addEvidence(losses, look, run.silence, from);
    return '';
  }
  run.unwitnessed = { uplink, from, to: now + WITNESS_MS };
  return uplink.witness(keys.network);
}

function addEvidence(
  losses: PathLoss,
  { uplink, keys, server, run, leastMs, now }: Look,
  evidence: Evidence,
  from: number,
): void {
  if (run.convicted || server.status === 'offline') return;
  const { share: hostLoss, packets: hostPackets } = losses.lossOf(uplink, keys, now);
  const { answers, lossShare: ownShare } = server.history;
  const loss =
    server.lastOnlineAt === 0
      ? Math.max(hostLoss, STRANGER_LOSS)
      : expectedLoss({ hostLoss, uplinkLoss: uplink.loss, hostPackets, answers, ownShare });
  const firm = firmness(hostPackets);
  evidence.add(from, leastMs - DECISIVE_MS, nth => evidenceOf(loss, firm, nth));
  if (evidence === run.silence) run.host.missed(from);
}
