type Colour = readonly [red: number, green: number, blue: number]

/** An uncompressed picture of the given colours. */
export function bitmap(width: number, height: number, colourAt: (x: number, y: number) => Colour): Uint8Array {
  const row = Math.ceil((width * 3) / 4) * 4
  const file = Buffer.alloc(54 + row * height)
  file.write('BM')
  file.writeUInt32LE(file.length, 2)
  file.writeUInt32LE(54, 10)
  file.writeUInt32LE(40, 14)
  file.writeInt32LE(width, 18)
  // Rows from top to bottom.
  file.writeInt32LE(-height, 22)
  file.writeUInt16LE(1, 26)
  file.writeUInt16LE(24, 28)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [red, green, blue] = colourAt(x, y)
      file.set([blue, green, red], 54 + y * row + x * 3)
    }
  return file
}

type Format = 'png' | 'jpeg' | 'webp'

/** A picture in one of the accepted formats. */
export async function picture(
  format: Format = 'png',
  [width, height]: [number, number] = [80, 60],
  colourAt: (x: number, y: number) => Colour = () => [200, 30, 60],
): Promise<Blob> {
  const bytes = await new Bun.Image(bitmap(width, height, colourAt))[format]().bytes()
  return new Blob([bytes as Uint8Array<ArrayBuffer>], { type: `image/${format}` })
}
