import type { IncidentEvent, OfflineSpan } from './history-store.ts';

/**
 * Returns at most `limit` incidents (times in which a server was offline) that started before `before` (Unix ms), the
 * newest first. `events`: the events of the server, the newest first. They must include the first event at or after
 * `before`, because it can be the end of an incident.
 */
export function incidentsOf(events: Iterable<IncidentEvent>, before: number, limit: number): OfflineSpan[] {
  const found: OfflineSpan[] = [];
  let newer: IncidentEvent | undefined;
  for (const event of events) {
    if (found.length >= limit) break;
    if (event.reason !== undefined && event.at < before)
      found.push({ started: event.at, ended: endOf(event, newer), reason: event.reason });
    newer = event;
  }
  return found;
}

/**
 * Returns the time when an incident ended: the time of the next event of the server. Undefined if there is no next
 * event.
 */
function endOf(start: IncidentEvent, next: IncidentEvent | undefined): number | undefined {
  // If the event after the start of an incident starts another incident, gsq did not record the end of the first one.
  // The function then returns the start of the first incident as its end.
  return next?.reason === undefined ? next?.at : start.at;
}
