import { loadConfig } from '../../config/load.ts';
import { checkInputFiles, readLines, STANDARD_INPUT } from '../../drivers/files/input-file.ts';
import { readPartition } from '../../drivers/kafka/read-partition.ts';
import type { ReceiptLine } from '../../receipts/index.ts';
import { prefixedTopic, RECEIPTS_TOPIC } from '../../records/topics.ts';
import { UsageError } from '../report-error.ts';
import { withKafka } from '../roles/with-kafka.ts';
import { dataFolder } from '../serve/data-folder.ts';

/** Where receipts come from, if not from files. */
export interface SourceOptions {
  readonly config?: string;
  readonly data?: string;
}

type TakeLines<T> = (lines: AsyncIterable<ReceiptLine>) => Promise<T>;

/** The lines of files, one after the other. Throws INPUT_UNREADABLE before the first is read where one is not there. */
export async function* fileLines(files: readonly string[]): AsyncGenerator<ReceiptLine> {
  await checkInputFiles(files);
  for (const file of files) {
    const name = file === STANDARD_INPUT ? 'standard input' : file;
    for await (const lines of readLines(file)) {
      for (const line of lines) yield { at: `${name}:${line.number}`, text: line.form === 'text' ? line.text : '' };
    }
  }
}

/** Gives every receipt of the topic to `take`, partition by partition, in order. */
const topicLines = async <T>({ config: file }: SourceOptions, take: TakeLines<T>): Promise<T> => {
  const { config } = loadConfig({ file, needs: ['kafka.brokers'] });
  const topic = prefixedTopic(config.kafka.topic_prefix, RECEIPTS_TOPIC);
  return withKafka(config, ({ reader }) => {
    const read = async function* (): AsyncGenerator<ReceiptLine> {
      for (const [partition, { low, high }] of (await reader.bounds(topic)).entries()) {
        for await (const { records } of readPartition(reader, topic, partition, low, high)) {
          for (const { value, offset } of records)
            yield { at: `${topic}/${partition}@${offset}`, text: Buffer.from(value ?? '').toString('utf8') };
        }
      }
    };
    return take(read());
  });
};

/** Gives the receipts of files, of a data folder, or else of the topic, to `take`. */
export const withReceiptLines = async <T>(
  files: readonly string[],
  options: SourceOptions,
  take: TakeLines<T>,
): Promise<T> => {
  if (files.length > 0 && options.data !== undefined)
    throw new UsageError('give files or --data; receipts come from the one or the other');
  if (files.length > 0) return take(fileLines(files));
  if (options.data !== undefined) return take(fileLines([dataFolder(options.data).receipts]));
  return topicLines(options, take);
};
