const SIDE = 512

/** Crops a picture to its centre square and scales it down. Throws if the file is not a picture. */
export async function cropToSquare(file: Blob): Promise<Blob> {
  const picture = await createImageBitmap(file)
  const side = Math.min(picture.width, picture.height)
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = Math.min(SIDE, side)
  const [left, top] = [(picture.width - side) / 2, (picture.height - side) / 2]
  canvas.getContext('2d')!.drawImage(picture, left, top, side, side, 0, 0, canvas.width, canvas.width)
  picture.close()
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("Couldn't read this picture."))), 'image/png'),
  )
}
