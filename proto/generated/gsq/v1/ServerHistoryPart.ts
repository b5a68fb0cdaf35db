// Original file: gsq/v1/cluster.proto

import type { SealedHourPart as _gsq_v1_SealedHourPart, SealedHourPart__Output as _gsq_v1_SealedHourPart__Output } from '../../gsq/v1/SealedHourPart.ts';
import type { FiguresPart as _gsq_v1_FiguresPart, FiguresPart__Output as _gsq_v1_FiguresPart__Output } from '../../gsq/v1/FiguresPart.ts';
import type { IncidentEventPart as _gsq_v1_IncidentEventPart, IncidentEventPart__Output as _gsq_v1_IncidentEventPart__Output } from '../../gsq/v1/IncidentEventPart.ts';

/**
 * The result of one HistoryRead. Only the list of the requested part is filled.
 */
export interface ServerHistoryPart {
  'hours'?: (_gsq_v1_SealedHourPart)[];
  'figures'?: (_gsq_v1_FiguresPart)[];
  /**
   * The newest event first.
   */
  'incidents'?: (_gsq_v1_IncidentEventPart)[];
  /**
   * True if the called core cannot read this part of its history now.
   */
  'unreadable'?: (boolean);
}

/**
 * The result of one HistoryRead. Only the list of the requested part is filled.
 */
export interface ServerHistoryPart__Output {
  'hours': (_gsq_v1_SealedHourPart__Output)[];
  'figures': (_gsq_v1_FiguresPart__Output)[];
  /**
   * The newest event first.
   */
  'incidents': (_gsq_v1_IncidentEventPart__Output)[];
  /**
   * True if the called core cannot read this part of its history now.
   */
  'unreadable': (boolean);
}
