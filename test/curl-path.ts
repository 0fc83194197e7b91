import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** PATH with curl.ts as a replacement if curl is not installed. */
export function pathWithCurl(): string {
  const path = process.env.PATH ?? ''
  if (Bun.which('curl')) return path
  const folder = mkdtempSync(join(tmpdir(), 'parley-curl-'))
  const script = `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dir, 'curl.ts')}' "$@"\n`
  writeFileSync(join(folder, 'curl'), script, { mode: 0o755 })
  return `${folder}:${path}`
}
