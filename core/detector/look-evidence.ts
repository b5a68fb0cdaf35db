import type { ServerRecord } from '../servers/server-record.ts';
import { evidenceOf, expectedLoss, firmness, THRESHOLD } from './evidence.ts';
import type { SilentProbe } from './judgement.ts';
import type { NetworkKeys } from './network-keys.ts';
import type { PathLoss } from './path-loss.ts';
import type { Evidence, Run } from './silence.ts';
import type { Uplink } from './uplink.ts';
import { DECISIVE_MS, LEAST_LOOKS } from './verdict.ts';

/**
 * Minimum packet loss that is assumed for a server that has never answered, because the path to this server is unknown.
 * A share from 0 to 1.
 */
const STRANGER_LOSS = 0.1;
/**
 * Longest time to wait for the answer of a witness, ms. A witness is a server in another network, whose answer shows
 * that the uplink (the network connection of the prober) works.
 */
const WITNESS_MS = 2_500;

/** A probe without a valid reply, and everything that is needed to count it as evidence against the server. */
export interface Look {
  uplink: Uplink;
  keys: NetworkKeys;
  server: ServerRecord;
  run: Run;
  /** Time for which a server must be silent before it can get the verdict "offline", ms. */
  leastMs: number;
  /** Two times in ms: `from`, when the last packet of the probe was sent, and `now`, when the probe was reported. */
  from: number;
  now: number;
}

/**
 * Counts an unanswered probe as evidence that its server is offline. The probe counts only if the uplink (the prober's
 * network connection) worked. If this is unknown, counts nothing yet, and returns the key of another server: an answer
 * of that server would show that the uplink works. Returns '' if no such answer is needed.
 */
export function countLook(losses: PathLoss, look: Look, probe: SilentProbe): string {
  const { uplink, keys, server, run, from, now } = look;
  const { unwitnessed } = run;
  run.unwitnessed = undefined;
  if (probe.delisted) {
    // The game's public server list does not contain the server. Two probes with this result are enough evidence for
    // the verdict offline, because each adds half of it.
    run.silence.addProbe(now, 0, () => THRESHOLD / LEAST_LOOKS);
    return '';
  }
  if (probe.challenged) {
    // The probe got a challenge, perhaps only from a firewall. So something at the address replies, and earlier probes
    // without any reply no longer count as evidence that the server is gone.
    run.challenged++;
    run.silence.clear();
    run.host.heard(now);
    addEvidence(losses, look, run.behindChallenge, from);
    return '';
  }
  // The server already has the verdict offline, so no more evidence is collected.
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
  evidence.addProbe(from, leastMs - DECISIVE_MS, nth => evidenceOf(loss, firm, nth));
  if (evidence === run.silence) run.host.missed(from);
}
