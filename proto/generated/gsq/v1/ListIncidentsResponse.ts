// Original file: gsq/v1/history.proto

import type { Incident as _gsq_v1_Incident, Incident__Output as _gsq_v1_Incident__Output } from '../../gsq/v1/Incident.ts';

export interface ListIncidentsResponse {
  'gameId'?: (string);
  'server'?: (string);
  'incidents'?: (_gsq_v1_Incident)[];
  /**
   * `page_token` of the next page; empty if this is the last page.
   */
  'nextPageToken'?: (string);
}

export interface ListIncidentsResponse__Output {
  'gameId': (string);
  'server': (string);
  'incidents': (_gsq_v1_Incident__Output)[];
  /**
   * `page_token` of the next page; empty if this is the last page.
   */
  'nextPageToken': (string);
}
