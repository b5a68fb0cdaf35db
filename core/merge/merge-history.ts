import type { Figures, IncidentEvent, SealedHour } from '../history/history-store.ts';
import { joinedHour } from '../history/hour-versions.ts';

/**
 * Merges the stored hours of a server from several cores, the oldest hour first. Several cores have the same hour if the
 * server moved in this hour. `joinedHour` then decides which samples are used.
 */
export function mergeHours(parts: readonly (readonly SealedHour[])[]): SealedHour[] {
  const merged = new Map<number, Buffer>();
  for (const { hour, samples } of parts.flat()) {
    const known = merged.get(hour);
    merged.set(hour, known ? joinedHour(hour, known, samples) : samples);
  }
  return [...merged].map(([hour, samples]) => ({ hour, samples })).sort((a, b) => a.hour - b.hour);
}

/**
 * Merges the stored figures of a server from several cores, the oldest span first. Figures of the same span are added,
 * because each core has the part of the span in which it probed the server.
 *
 * The known time of a sum is at most the length of the span. A sum can be longer, because the last sample of a core
 * counts until the next sample, or for one and a half probe intervals. If the server moved, the next sample is on another
 * core. The other figures of such a sum are reduced by the same factor, so that shares and means stay right.
 */
export function mergeFigures(parts: readonly (readonly Figures[])[]): Figures[] {
  const merged = new Map<number, Figures>();
  for (const figures of parts.flat()) {
    const known = merged.get(figures.from);
    merged.set(figures.from, known ? sumOfParts(known, figures) : figures);
  }
  return [...merged.values()].map(capped).sort((a, b) => a.from - b.from);
}

/**
 * Merges the events of a server from several cores, the newest first. Events at the same time count as one: a core can
 * repeat an event of a server that it received while the event was being written.
 */
export function mergeEvents(parts: readonly (readonly IncidentEvent[])[]): IncidentEvent[] {
  const merged = new Map(parts.flat().map(event => [event.at, event]));
  return [...merged.values()].sort((a, b) => b.at - a.at);
}

function sumOfParts(a: Figures, b: Figures): Figures {
  return {
    from: a.from,
    to: a.to,
    knownMs: a.knownMs + b.knownMs,
    onlineMs: a.onlineMs + b.onlineMs,
    countedMs: a.countedMs + b.countedMs,
    playerMs: a.playerMs + b.playerMs,
    playersMax: Math.max(a.playersMax, b.playersMax),
  };
}

function capped(figures: Figures): Figures {
  const { from, to, knownMs, onlineMs, countedMs, playerMs } = figures;
  const spanMs = to - from;
  if (knownMs <= spanMs) return figures;
  const factor = spanMs / knownMs;
  return {
    ...figures,
    knownMs: spanMs,
    onlineMs: onlineMs * factor,
    countedMs: countedMs * factor,
    playerMs: playerMs * factor,
  };
}
