import { createEventBuffer } from 'better-sse';
import type { ServiceError } from '../../proto/service-error.ts';

/** One line of the core's stream of events, as parsed JSON. */
export interface EventLine {
  event: string;
  /**
   * Resume token: a new stream can continue after the event with this token. Empty for the events of a snapshot,
   * because no stream can continue after them.
   */
  id: string;
  data: unknown;
}

/** The form of an event stream: server-sent events or lines of JSON. */
export interface EventFormat {
  readonly contentType: string;
  /**
   * Returns the text of an event in the format of server-sent events or JSON lines. `line`: the line of JSON that the
   * core sent for the event, with its line feed.
   */
  textOf(line: Buffer, event: EventLine): string | Buffer;
  /** Returns the text that tells the client to wait `ms` milliseconds before it opens the stream again. */
  retryText(ms: number): string;
}

/** The event format of server-sent events (HTML Living Standard, 9.2). */
export const serverSentEvents: EventFormat = {
  contentType: 'text/event-stream; charset=utf-8',
  textOf: (_line, { event, id, data }) =>
    createEventBuffer().event(event).id(id).data(data).dispatch().read(),
  retryText: ms => createEventBuffer().retry(ms).dispatch().read(),
};

/**
 * The JSON lines format for events: each line is passed on as the core sent it. Unlike server-sent events, this format
 * cannot tell a client when to open its event stream again.
 */
export const jsonLines: EventFormat = {
  contentType: 'application/x-ndjson',
  textOf: line => line,
  retryText: () => '',
};

/**
 * Returns the format of the event stream for an Accept header: lines of JSON if the header names
 * `application/x-ndjson`, or else server-sent events.
 */
export function formatFor(accept: string): EventFormat {
  const named = accept
    .split(',')
    .some(range => /^\s*application\/x-ndjson\s*(?:;(?!\s*q=0(?:\.0*)?\s*$).*)?$/i.test(range));
  return named ? jsonLines : serverSentEvents;
}

/**
 * Returns the event `end`, the last event of a stream that cannot go on, for example because a token was revoked. Its
 * data has the keys of an error answer. `id`: id of the previous event.
 */
export function endEvent({ code, message }: ServiceError, id: string): EventLine {
  return { event: 'end', id, data: { error: code, message } };
}

/** Parses a line of JSON from the event stream of the core. Throws an Error if the line is not an event. */
export function readEventLine(line: Buffer): EventLine {
  const { event, id, data } = JSON.parse(line.toString('utf8')) as Partial<EventLine>;
  if (typeof event !== 'string' || typeof id !== 'string')
    throw new Error('the core sent a line of events without event or id');
  return { event, id, data: data ?? null };
}
