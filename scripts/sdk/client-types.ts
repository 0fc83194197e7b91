import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** `Parley` itself is printed from the contract. */
const PRINTED = ['Parley']

/** The types of src/client that are exported, and the types that they use, as `tsc` declares them. */
export function printClientTypes(root: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-sdk-'))
  const flags = ['--declaration', '--emitDeclarationOnly', '--noCheck', '--outDir', folder, '--rootDir', 'src']
  const language = ['--ignoreConfig', '--strict', '--target', 'ESNext', '--module', 'Preserve', '--types', 'bun']
  const command = [join(root, 'node_modules/.bin/tsc'), ...flags, ...language, 'src/client/index.ts']
  const tsc = Bun.spawnSync(command, { cwd: root })
  const client = join(folder, 'client')
  const declarations = readdirSync(client).flatMap((file) =>
    splitDeclarations(readFileSync(join(client, file), 'utf8')),
  )
  const exported = readFileSync(join(client, 'index.d.ts'), 'utf8')
  rmSync(folder, { recursive: true })
  if (tsc.exitCode !== 0) throw new Error(`tsc failed:\n${tsc.stdout}${tsc.stderr}`)

  const names = new Set([...exported.matchAll(/\w+/g)].map(([name]) => name))
  const wanted = declarations.filter(({ name }) => names.has(name) && !PRINTED.includes(name))
  const used = declarations.filter((each) => !wanted.includes(each) && isUsedIn(each.name, wanted))
  return [...wanted, ...used].map(({ text }) => text).join('\n\n')
}

interface Declaration {
  name: string
  text: string
}

/** The declarations of a file, each with the comment above it. */
function splitDeclarations(file: string): Declaration[] {
  const statement =
    /(?:^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?^export (?:declare )?(?:class|interface|type|function|const) (\w+)[^\n]*?(?:\{\n[\s\S]*?^\};?|;)$/gm
  return [...file.matchAll(statement)].map(([text, name]) => ({ name: name!, text }))
}

const isUsedIn = (name: string, declarations: Declaration[]) =>
  declarations.some(({ text }) => new RegExp(`\\b${name}\\b`).test(text.replace(/\/\*\*[\s\S]*?\*\//g, '')))
