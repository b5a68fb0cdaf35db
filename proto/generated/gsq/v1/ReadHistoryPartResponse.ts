// Original file: gsq/v1/cluster.proto

import type { SealedHourPart as _gsq_v1_SealedHourPart, SealedHourPart__Output as _gsq_v1_SealedHourPart__Output } from '../../gsq/v1/SealedHourPart.ts';
import type { FiguresPart as _gsq_v1_FiguresPart, FiguresPart__Output as _gsq_v1_FiguresPart__Output } from '../../gsq/v1/FiguresPart.ts';
import type { IncidentPart as _gsq_v1_IncidentPart, IncidentPart__Output as _gsq_v1_IncidentPart__Output } from '../../gsq/v1/IncidentPart.ts';
import type { Long } from '@grpc/proto-loader';

export interface ReadHistoryPartResponse {
  'hours'?: (_gsq_v1_SealedHourPart)[];
  'figures'?: (_gsq_v1_FiguresPart)[];
  'incidents'?: (_gsq_v1_IncidentPart)[];
  /**
   * Times before which the called core has no samples and no figures of quarter hours, in milliseconds since the Unix
   * epoch; 0 if it has none at all.
   */
  'oldestHoursMs'?: (number | string | Long);
  'oldestQuartersMs'?: (number | string | Long);
}

export interface ReadHistoryPartResponse__Output {
  'hours': (_gsq_v1_SealedHourPart__Output)[];
  'figures': (_gsq_v1_FiguresPart__Output)[];
  'incidents': (_gsq_v1_IncidentPart__Output)[];
  /**
   * Times before which the called core has no samples and no figures of quarter hours, in milliseconds since the Unix
   * epoch; 0 if it has none at all.
   */
  'oldestHoursMs': (number);
  'oldestQuartersMs': (number);
}
