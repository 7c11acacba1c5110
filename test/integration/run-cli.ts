import { main } from '../../src/main.ts';

await main(process.argv);
