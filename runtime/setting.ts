/** The kind of a setting. It determines how the text of the setting is parsed. */
export type SettingKind =
  | 'address'
  | 'duration'
  | 'period'
  | 'size'
  | 'integer'
  | 'text'
  | 'list'
  | 'level'
  | 'format';

/** Definition of one setting: its kind, its default, its meaning and its limits. */
export interface Setting {
  readonly kind: SettingKind;
  /**
   * Default value of the setting, in the form in which an operator writes it. `null` if the setting is absent by
   * default.
   */
  readonly default: string | null;
  readonly help: string;
  /**
   * If true, the text of the setting is secret and must never be printed. The setting `<NAME>_FILE` can contain the
   * path of a file with the text.
   */
  readonly secret?: true;
  /** Minimum value of the setting. The unit is milliseconds for a duration or a period, and bytes for a size. */
  readonly min?: number;
  /**
   * Maximum value of the setting, in the same unit as `min`. By default, the maximum of a duration is 24 days, the
   * longest time that a timer of Node can wait.
   */
  readonly max?: number;
  /** Minimum number of characters in the text of the setting. */
  readonly minLength?: number;
}
