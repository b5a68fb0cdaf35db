// Original file: gsq/v1/cluster.proto

export const HistoryPart = {
  HISTORY_PART_UNSPECIFIED: 'HISTORY_PART_UNSPECIFIED',
  HISTORY_PART_HOURS: 'HISTORY_PART_HOURS',
  HISTORY_PART_QUARTERS: 'HISTORY_PART_QUARTERS',
  HISTORY_PART_DAYS: 'HISTORY_PART_DAYS',
  HISTORY_PART_INCIDENTS: 'HISTORY_PART_INCIDENTS',
} as const;

export type HistoryPart =
  | 'HISTORY_PART_UNSPECIFIED'
  | 0
  | 'HISTORY_PART_HOURS'
  | 1
  | 'HISTORY_PART_QUARTERS'
  | 2
  | 'HISTORY_PART_DAYS'
  | 3
  | 'HISTORY_PART_INCIDENTS'
  | 4

export type HistoryPart__Output = typeof HistoryPart[keyof typeof HistoryPart]
