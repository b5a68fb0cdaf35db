import type { FiguresPart, FiguresPart__Output } from '../../proto/generated/gsq/v1/FiguresPart.ts';
import type {
  IncidentEventPart,
  IncidentEventPart__Output,
} from '../../proto/generated/gsq/v1/IncidentEventPart.ts';
import type { SealedHourPart__Output } from '../../proto/generated/gsq/v1/SealedHourPart.ts';
import type { Figures, IncidentEvent, SealedHour } from '../history/history-store.ts';
import { reasons } from '../servers/server-record.ts';

/** Returns the message for a time, Unix ms. Infinity becomes the latest time that a message can contain. */
export function timeMessage(at: number): number {
  return Math.min(at, Number.MAX_SAFE_INTEGER);
}

/** Returns the samples of an hour from a message. */
export function hourOfMessage({ hourMs, samples }: SealedHourPart__Output): SealedHour {
  return { hour: hourMs, samples };
}

/** Returns the message for uptime and player figures. */
export function figuresMessage(figures: Figures): FiguresPart {
  const { from, to, ...sums } = figures;
  return { fromMs: from, toMs: to, ...sums };
}

/** Returns the uptime and player figures of a message that `figuresMessage` made. */
export function figuresOfMessage({ fromMs, toMs, ...sums }: FiguresPart__Output): Figures {
  return { from: fromMs, to: toMs, ...sums };
}

/** Returns the message for an event: a server went offline or came back. */
export function eventMessage({ at, reason }: IncidentEvent): IncidentEventPart {
  return { atMs: at, reason: reason ?? '' };
}

/** Returns the event of a message that `eventMessage` made. */
export function eventOfMessage({ atMs, reason }: IncidentEventPart__Output): IncidentEvent {
  return {
    at: atMs,
    reason: reason === '' ? undefined : (reasons.find(known => known === reason) ?? 'no_reply'),
  };
}
