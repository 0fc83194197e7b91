/** Begins to tell how far a long piece of work is. */
export type OpenProgress = (
  what: string,
  total: number,
) => {
  tell(done: number): void
  end(): void
}

export const noProgress: OpenProgress = () => ({ tell() {}, end() {} })
