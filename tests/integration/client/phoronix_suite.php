<?php
/**
 * As much of the Phoronix Test Suite as a module meets, after pts-core of 2022 to 2026: the classes it is passed
 * (pts_test_result, pts_result_file, pts_test_run_manager), and its hooks in the order of pts_test_execution::run_test
 * and pts_test_run_manager. A run is a pause. Prints the result file as JSON.
 *
 * usage: php phoronix_suite.php MODULE.php JSON      JSON: {runs, seconds, result, proportion, between}
 */
class pts_module_interface
{
}

class pts_module
{
	const MODULE_UNLOAD = 'MODULE_UNLOAD';
}

class pts_test_profile
{
	public $identifier = 'pts/pause-1.0.0', $title = 'Pause', $format = 'BAR_GRAPH', $scale = 'Jobs', $proportion;

	public function get_identifier($with_version = true) { return $this->identifier; }
	public function set_identifier($identifier) { $this->identifier = $identifier; }
	public function get_title() { return $this->title; }
	public function get_display_format() { return $this->format; }
	public function set_display_format($format) { $this->format = $format; }
	public function get_result_scale() { return $this->scale; }
	public function set_result_scale($scale) { $this->scale = $scale; }
	public function get_result_proportion() { return $this->proportion; }
	public function set_result_proportion($proportion) { $this->proportion = $proportion; }
}

class pts_test_result_buffer
{
	public $items = array();

	public function add_test_result($identifier, $value, $raw = null, $json = null)
	{
		$this->items[] = array('identifier' => $identifier, 'value' => $value, 'json' => $json);
	}
}

class pts_test_result_buffer_active
{
	public $result;

	public function get_result() { return $this->result; }
}

class pts_test_result
{
	public $test_profile, $test_result_buffer, $active, $test_run_times = array();
	private $arguments = '--long', $description = 'Mode: Long', $annotation = null, $parent_hash = null;

	public function __construct($test_profile) { $this->test_profile = clone $test_profile; }
	public function __clone()
	{
		$this->test_profile = clone $this->test_profile;
		if(is_object($this->test_result_buffer))
		{
			$this->test_result_buffer = clone $this->test_result_buffer;
		}
	}
	public function get_arguments() { return $this->arguments; }
	public function set_used_arguments($arguments) { $this->arguments = $arguments; }
	public function get_arguments_description() { return $this->description; }
	public function set_used_arguments_description($description) { $this->description = $description; }
	public function get_annotation() { return $this->annotation; }
	public function set_annotation($annotation) { $this->annotation = $annotation; }
	public function append_annotation($annotation) { $this->annotation .= ' ' . PHP_EOL . $annotation; }
	public function get_parent_hash() { return $this->parent_hash; }
	public function set_parent_hash($hash) { $this->parent_hash = $hash; }
	public function get_comparison_hash($with_attributes = true, $raw = true)
	{
		$profile = $this->test_profile;
		$name = $profile->get_identifier() === null ? $profile->get_title() : $profile->get_identifier();
		return sha1(implode('|', array($name, $this->arguments, $this->description, $profile->get_result_scale())), $raw);
	}
}

class pts_result_file
{
	public $results = array();

	/** A result that is there already takes the annotation and the values of the one that is added. */
	public function add_result($result)
	{
		$hash = $result->get_comparison_hash(true, false);
		if(!isset($this->results[$hash]))
		{
			$this->results[$hash] = $result;
			return;
		}
		if($result->get_annotation() != null)
		{
			$this->results[$hash]->append_annotation($result->get_annotation());
		}
		foreach($result->test_result_buffer->items as $item)
		{
			$this->results[$hash]->test_result_buffer->items[] = $item;
		}
	}
}

class pts_test_run_manager
{
	public $saves = false;

	public function force_results_save() { $this->saves = true; }
	public function get_results_identifier() { return 'This machine'; }
}

/** As pts_module_manager::module_call: nothing where the module has no such hook. */
function call_module($module, $hook, $passed)
{
	return method_exists($module, $hook) ? call_user_func_array(array($module, $hook), array(&$passed)) : false;
}

set_error_handler(function($level, $text, $file, $line)
{
	throw new ErrorException($text, 0, $level, $file, $line);
}, E_ALL & ~E_WARNING);
require $argv[1];
$module = basename($argv[1], '.php');
$order = json_decode($argv[2], true);
$manager = new pts_test_run_manager();
$file = new pts_result_file();
$hook_s = 0.0;
if(call_module($module, '__run_manager_setup', $manager) != pts_module::MODULE_UNLOAD)
{
	call_module($module, '__pre_run_process', $manager);
	$request = new pts_test_result(new pts_test_profile());
	$request->test_profile->set_result_proportion($order['proportion']);
	call_module($module, '__pre_test_run', $request);
	for($i = 0; $i < $order['runs']; $i++)
	{
		usleep(500000);
		$start = microtime(true);
		call_module($module, '__calling_test_script', $request);
		$hook_s = max($hook_s, microtime(true) - $start);
		usleep((int) ($order['seconds'] * 1e6));
		$request->test_run_times[] = round(microtime(true) - $start, 2);
		if(isset($order['between']))
		{
			exec($order['between']);
		}
	}
	$result = clone $request;
	$result->active = new pts_test_result_buffer_active();
	$result->active->result = $order['result'];
	call_module($module, '__post_test_run_success', $result);
	$result->test_result_buffer = new pts_test_result_buffer();
	$result->test_result_buffer->add_test_result($manager->get_results_identifier(), $order['result']);
	$file->add_result($result);
	call_module($module, '__post_test_run', $request);
	call_module($module, '__post_test_run_process', $file);
}
$shown = array();
foreach($file->results as $result)
{
	$shown[] = array(
		'identifier' => $result->test_profile->get_identifier(),
		'scale' => $result->test_profile->get_result_scale(),
		'proportion' => $result->test_profile->get_result_proportion(),
		'arguments' => $result->get_arguments(),
		'description' => $result->get_arguments_description(),
		'annotation' => $result->get_annotation(),
		'parent' => $result->get_parent_hash(),
		'items' => $result->test_result_buffer->items,
	);
}
echo PHP_EOL . json_encode(array('saves' => $manager->saves, 'hook_s' => $hook_s, 'results' => $shown)) . PHP_EOL;
