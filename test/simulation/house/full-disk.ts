import { type FileHandle, open } from 'node:fs/promises';

type Write = (
  this: FileHandle,
  bytes: Buffer,
  offset: number,
  length: number,
  position: number,
) => Promise<{ readonly bytesWritten: number }>;

/** A disk that takes so many bytes more and is full then, in the middle of a write. */
export class FullDisk {
  /** null: there is room */
  room: number | null = null;
  readonly #prototype: { write: Write };
  readonly #write: Write;

  private constructor(prototype: { write: Write }) {
    this.#prototype = prototype;
    this.#write = prototype.write;
    const disk = this;
    prototype.write = function (bytes, offset, length, position) {
      return disk.#take(this, bytes, offset, length, position);
    };
  }

  /** Puts itself before every write of this thread, until it is closed. */
  static async under(path: string): Promise<FullDisk> {
    const handle = await open(path, 'a');
    const prototype = Object.getPrototypeOf(handle) as { write: Write };
    await handle.close();
    return new FullDisk(prototype);
  }

  close(): void {
    this.#prototype.write = this.#write;
  }

  async #take(file: FileHandle, bytes: Buffer, offset: number, length: number, position: number) {
    if (this.room === null) return await this.#write.call(file, bytes, offset, length, position);
    if (this.room === 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const fitting = Math.min(length, this.room);
    this.room -= fitting;
    return await this.#write.call(file, bytes, offset, fitting, position);
  }
}
