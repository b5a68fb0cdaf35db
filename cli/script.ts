/** Arguments that make node run a script of this project, whatever the working directory is. */
export function scriptArguments(path: string): string[] {
  return ['--import', import.meta.resolve('tsx'), path];
}
