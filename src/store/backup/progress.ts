/** Starts to report the progress of a long operation. */
export type OpenProgress = (
  what: string,
  total: number,
) => {
  report(done: number): void
  end(): void
}

export const noProgress: OpenProgress = () => ({ report() {}, end() {} })
