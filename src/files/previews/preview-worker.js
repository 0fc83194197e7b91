// Runs in a separate process: decoding a large image takes hundreds of megabytes, which are only freed when the process ends.
// Each line of the input is a task; each line of the output says how it went. Without input, the process ends.
const { createInterface } = await import('node:readline')
const { writeFile } = await import('node:fs/promises')
const { setPriority } = await import('node:os')
try {
  setPriority(10)
} catch {
  // Previews have a lower priority than requests, if the system allows it.
}
Bun.Image.backend = 'bun'

for await (const line of createInterface({ input: process.stdin })) {
  const { input, output, pixels, maxPixels, quality } = JSON.parse(line)
  try {
    const preview = await new Bun.Image(input, { maxPixels })
      .resize(pixels, pixels, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality })
      .bytes()
    // Not with `Bun.write`, which ignores the mode. A process that was killed may have left a part of the file.
    await writeFile(output, preview, { mode: 0o600 })
    process.stdout.write(`${JSON.stringify({ size: preview.length })}\n`)
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ code: String(error?.code ?? error) })}\n`)
  }
}
process.exit(0)
