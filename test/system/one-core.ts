/**
 * Reasons why some tests cannot pass with several cores (TEST_CORES). With several cores, such a test is skipped, and
 * the test runner prints the reason.
 */
const REASONS = {
  stoppedCore: 'stops the only core: with several cores, another core answers instead',
} as const;

/**
 * Returns the test option `skip` for a test that can only pass with one core: a reason if TEST_CORES asks for several
 * cores, or false if not.
 */
export function needsOneCore(reason: keyof typeof REASONS): string | false {
  const { TEST_STORE, TEST_CORES = '1' } = process.env;
  return TEST_STORE !== undefined && TEST_CORES !== '1' && REASONS[reason];
}
